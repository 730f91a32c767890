// Unlinks a device from its account, within a bounded time, and says what the session's state is afterwards.

import { SECOND } from '../../shared/date-time.ts'
import type { Connection } from '../driver/driver.ts'
import { type TrackedRequests, trackRequests } from '../driver/request-tracking.ts'
import type { StateChange } from './stored-state.ts'

/** A network that does not answer must not keep the caller waiting: the device is given up all the same. */
const MAX_UNLINK_MS = 10 * SECOND

export interface UnlinkRequest {
  requests: TrackedRequests
  deadline: AbortSignal
  /** Milliseconds for the network's answer. */
  waitMs?: number
}

/** True when the network has confirmed it. */
export async function unlinkDevice(
  network: Connection | undefined,
  { requests, deadline, waitMs = MAX_UNLINK_MS }: UnlinkRequest,
): Promise<boolean> {
  if (!network) return false
  const limit = AbortSignal.timeout(Math.min(waitMs, MAX_UNLINK_MS))
  const answer = await trackRequests(network, requests).unlink(AbortSignal.any([deadline, limit]))
  return answer.kind === 'done'
}

export const createUnlinkedState = (): StateChange => ({
  status: 'disconnected',
  connected: false,
  loggedIn: false,
  pairing: null,
  wanted: false,
  jid: '',
  lid: '',
  profileName: '',
  lastDisconnect: Date.now(),
  lastDisconnectReason: 'by_request',
})
