// Apart from action-table.ts, because each chapter of the actions has its file: actions on calls, of an instance of kind `calls`.

import { createDoneOutcome, createRefusal } from '@msgnet/shared/wire/outcome.ts'
import { listCalls } from '../store/call-store.ts'
import { type ActionTable, toFailedOutcome } from './action.ts'

/** A second rejection is answered as the first. */
const rejectableStates = new Set(['offer', 'ringing', 'reject'])

export const callActions: ActionTable<'call'> = {
  async 'call.reject'({ session, network, deadline, chats }, { id }) {
    const call = await session.calls.findCall(id)
    const isHidden = call && chats?.includes(call.record.GroupJID || call.record.From) === false
    if (!call || isHidden) return createRefusal('invalid_id', 'id: there is no such call')
    if (!network) return createRefusal('not_connected')
    if (!rejectableStates.has(call.record.State))
      return createRefusal('operation_refused', 'The call rings no more.')
    const answer = await network.rejectCall(id, call.creator, deadline)
    if (answer.kind !== 'done') return toFailedOutcome(answer)
    session.calls.recordRejection(call)
    return createDoneOutcome({ rejected: true })
  },

  'call.list': async ({ session }) =>
    createDoneOutcome({ calls: await listCalls(session.store, session.instance) }),
}
