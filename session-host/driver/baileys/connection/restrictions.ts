// Apart from event-adapter.ts, because limits of the network are a subject of their own: a time lock on new chats, and a cap on their
// number.

import { SECOND } from '@msgnet/shared/date-time.ts'
import type { WASocket } from 'baileys'
import type { Restriction } from '../../driver.ts'
import { parseCount } from '../network-numbers.ts'
import { runRequest } from './network-query.ts'

const CAPPED = 'CAPPED'
/** The code of a message that was refused by the time lock on new chats. */
const LOCKED = '463'
const REQUEST_MS = 30 * SECOND

export function adaptRestrictions(sock: WASocket, report: (restriction: Restriction) => void): void {
  sock.ev.on('connection.update', ({ reachoutTimeLock }) => {
    if (!reachoutTimeLock) return
    const { isActive, timeEnforcementEnds } = reachoutTimeLock
    report({
      kind: 'reachout_timelock',
      active: isActive === true,
      until: timeEnforcementEnds?.getTime() || 0,
    })
  })
  sock.ev.on('message-capping.update', ({ capping_status, cycle_end_timestamp, total_quota, used_quota }) => {
    const until = parseCount(cycle_end_timestamp) * 1000
    const [total, used] = [parseCount(total_quota), parseCount(used_quota)]
    report({ kind: 'new_chat_cap', active: capping_status === CAPPED, until, total, used })
  })
  // The refusal has no end time, and the library does not request it. The response arrives as the first event above.
  sock.ws.on('CB:ack,class:message', ({ attrs }: { attrs: Record<string, string> }) => {
    if (attrs.error !== LOCKED) return
    // Without a response its end stays unknown.
    void runRequest(sock, AbortSignal.timeout(REQUEST_MS), async () => {
      await sock.fetchAccountReachoutTimelock()
      return { kind: 'done', value: undefined }
    })
  })
}
