// Unlinks a device from its account, within a bounded time, and says what the session's state is afterwards.

import { SECOND } from '../../shared/clock.ts'
import type { Connection } from '../driver/driver.ts'
import { type Requests, watched } from '../driver/requests.ts'
import type { StateChange } from './kept-state.ts'

/** A network that does not answer must not keep the caller waiting: the device is given up all the same. */
const WITHIN_MS = 10 * SECOND

export interface Unlinking {
  requests: Requests
  deadline: AbortSignal
  /** Milliseconds for the network's answer. */
  waitMs?: number
}

/** True when the network has confirmed it. */
export async function unlink(
  network: Connection | undefined,
  { requests, deadline, waitMs = WITHIN_MS }: Unlinking,
): Promise<boolean> {
  if (!network) return false
  const limit = AbortSignal.timeout(Math.min(waitMs, WITHIN_MS))
  const answer = await watched(network, requests).unlink(AbortSignal.any([deadline, limit]))
  return answer.kind === 'done'
}

export const afterUnlinking = (): StateChange => ({
  ...{ status: 'disconnected', connected: false, loggedIn: false, pairing: null, wanted: false },
  ...{ jid: '', lid: '', profileName: '', lastDisconnect: Date.now(), lastDisconnectReason: 'by_request' },
})
