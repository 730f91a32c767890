// What the network lets the account do no longer, for a while: writing to strangers, or opening more chats.

import type { WASocket } from 'baileys'
import type { Restriction } from '../../driver.ts'

const CAPPED = 'CAPPED'

export function adaptRestrictions(sock: WASocket, tell: (restriction: Restriction) => void): void {
  sock.ev.on('connection.update', ({ reachoutTimeLock }) => {
    if (!reachoutTimeLock) return
    const { isActive, timeEnforcementEnds } = reachoutTimeLock
    tell({ kind: 'reachout_timelock', active: isActive === true, until: timeEnforcementEnds?.getTime() ?? 0 })
  })
  sock.ev.on('message-capping.update', ({ capping_status, cycle_end_timestamp }) => {
    const until = Number(cycle_end_timestamp ?? 0) * 1000
    tell({ kind: 'new_chat_cap', active: capping_status === CAPPED, until })
  })
}
