// A session as its host sees it at one moment; the edge keeps the newest one with the instance.

import * as z from 'zod'
import { DisconnectReason, Pairing, Status } from '../contract/instance.ts'

export const SessionState = z.object({
  /** Grows with every change of this instance's state, across restarts of the host: an older one never overwrites. */
  rev: z.int().positive(),
  status: Status,
  /** The socket to the network is open. */
  connected: z.boolean(),
  /** The network has accepted the credential on this socket. */
  loggedIn: z.boolean(),
  /** The linked account without its device, empty when unlinked. */
  jid: z.string(),
  lid: z.string(),
  profileName: z.string(),
  pairing: Pairing.nullable(),
  /** Milliseconds; 0 for never. */
  lastDisconnect: z.int().nonnegative(),
  lastDisconnectReason: DisconnectReason,
})
export type SessionState = z.infer<typeof SessionState>
