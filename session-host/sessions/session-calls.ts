// Calls of a session of kind `calls`: each is stored, and each of its states is reported once.

import type { CallRecord } from '../../shared/contract/responses/call-responses.ts'
import type { NetworkCall } from '../driver/driver.ts'
import { type CallRow, findCall, storeCall } from '../store/call-store.ts'
import type { Store } from '../store/host-store.ts'
import { chooseJid } from './group-records.ts'
import type { Intake } from './intake.ts'
import { createEvent } from './message-records.ts'

export interface SessionCalls {
  findCall(callid: string): Promise<CallRow | undefined>
  /** An event of the network. */
  handleCall(call: NetworkCall): void
  /** Our own rejection: the network reports it to the other devices only. */
  recordRejection(row: CallRow): void
}

export function createSessionCalls(
  store: Store,
  instance: string,
  kind: string,
  intake: Intake,
): SessionCalls {
  const storeState = (row: CallRow) =>
    intake.enqueue(async (batch) => {
      const known = await findCall(store, instance, row.callid)
      if (known?.record.State === row.record.State) return
      for (const statement of storeCall(store, row)) batch.addStatement(statement)
      batch.addEvents(createEvent('call', { event: row.record }))
    })

  return {
    findCall: (callid) => findCall(store, instance, callid),
    handleCall(call) {
      // Only instances of kind `calls` report calls.
      if (kind !== 'calls') return
      const { callid, creator, at } = call
      storeState({ instance, callid, creator: creator.id, at, record: toCallRecord(call) })
    },
    recordRejection: (row) =>
      storeState({ ...row, record: { ...row.record, State: 'reject', Timestamp: Date.now() } }),
  }
}

const toCallRecord = ({ callid, creator, group, isVideo, isGroup, state, at }: NetworkCall): CallRecord => ({
  CallID: callid,
  From: chooseJid(creator),
  CallCreator: chooseJid(creator),
  GroupJID: group,
  IsVideo: isVideo,
  IsGroup: isGroup,
  State: state,
  Reason: state === 'timeout' ? 'timeout' : '',
  Timestamp: at,
})
