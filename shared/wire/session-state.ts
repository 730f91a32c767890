// The state of a session at one moment, as its host reports it. The edge stores the newest one with the instance.

import * as z from 'zod'
import { ReportedCoverage } from '../contract/coverage.ts'
import { HistoryProgress } from '../contract/history.ts'
import { DisconnectReason, Pairing, Status } from '../contract/instance-requests.ts'

export const SessionState = z.object({
  /** Grows with every change of this instance's state, also across restarts of the host, so that an older state never replaces a newer one. */
  rev: z.int().positive(),
  status: Status,
  /** The socket to the network is open. */
  connected: z.boolean(),
  /** The network has accepted the credential on this socket. */
  loggedIn: z.boolean(),
  /** The linked account without its device; empty if none is linked. */
  jid: z.string(),
  lid: z.string(),
  profileName: z.string(),
  pairing: Pairing.nullable(),
  /** Milliseconds; 0 for never. */
  lastDisconnect: z.int().nonnegative(),
  lastDisconnectReason: DisconnectReason,
  /** Of this linking. Absent from hosts that know no history. */
  history: HistoryProgress.optional(),
  /** Absent before the first login, and from hosts that do not know it. */
  coverage: ReportedCoverage.optional(),
})
export type SessionState = z.infer<typeof SessionState>
