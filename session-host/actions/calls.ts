// Actions on calls, of an instance of kind `calls`.

import { done, refused } from '../../shared/wire/outcome.ts'
import { listCalls } from '../store/calls.ts'
import { type ActionTable, notDone } from './action.ts'

export const callActions: ActionTable<'call'> = {
  async 'call.reject'({ session, network, deadline }, { id }) {
    const call = await session.calls.find(id)
    if (!call) return refused('invalid_id', 'id: there is no such call')
    if (!network) return refused('not_connected')
    const answer = await network.rejectCall(id, call.creator, deadline)
    if (answer.kind !== 'done') return notDone(answer)
    session.calls.rejected(call)
    return done({ rejected: true })
  },

  'call.list': async ({ session }) => done({ calls: await listCalls(session.store, session.instance) }),
}
