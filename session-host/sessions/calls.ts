// Calls of a session of kind `calls`: each is stored, and each of its states is reported once.

import type { CallRecord } from '../../shared/contract/answers/call.ts'
import type { NetworkCall } from '../driver/driver.ts'
import { type CallRow, findCall, keepCall } from '../store/calls.ts'
import type { Store } from '../store/store.ts'
import { jidOf } from './group-reporting.ts'
import type { Intake } from './intake.ts'
import { event } from './reporting.ts'

export interface Calls {
  find(callid: string): Promise<CallRow | undefined>
  /** An event of the network. */
  received(call: NetworkCall): void
  /** Our own rejection: the network reports it to the other devices only. */
  rejected(row: CallRow): void
}

export function makeCalls(store: Store, instance: string, kind: string, intake: Intake): Calls {
  const keep = (row: CallRow) =>
    intake.enqueue(async (batch) => {
      const known = await findCall(store, instance, row.callid)
      if (known?.record.State === row.record.State) return
      for (const statement of keepCall(store, row)) batch.run(statement)
      batch.report(event('call', { event: row.record }))
    })

  return {
    find: (callid) => findCall(store, instance, callid),
    received(call) {
      // Only instances of kind `calls` report calls.
      if (kind !== 'calls') return
      const { callid, creator, at } = call
      keep({ instance, callid, creator: creator.id, at, record: recordOf(call) })
    },
    rejected: (row) => keep({ ...row, record: { ...row.record, State: 'reject', Timestamp: Date.now() } }),
  }
}

const recordOf = ({ callid, creator, group, isVideo, isGroup, state, at }: NetworkCall): CallRecord => ({
  CallID: callid,
  From: jidOf(creator),
  CallCreator: jidOf(creator),
  GroupJID: group,
  IsVideo: isVideo,
  IsGroup: isGroup,
  State: state,
  Reason: state === 'timeout' ? 'timeout' : '',
  Timestamp: at,
})
