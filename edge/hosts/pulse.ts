// The rhythm of a link, in milliseconds.

import { SECOND } from '../../shared/clock.ts'

export const HEARTBEAT = 10 * SECOND
export const LEASE = 30 * SECOND
/** Two heartbeats and a half: shorter than the lease, so that a dead link is known before another host may take over. */
export const SILENT_FOR = 25 * SECOND
/** `events` frames a host may have under way. */
export const CREDIT = 4
