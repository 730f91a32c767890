// The chapter on calls.

import { CallList } from '../../contract/answers/call.ts'
import { Said } from '../../contract/answers/chat.ts'
import { RejectCall } from '../../contract/call.ts'
import { limits } from '../../contract/version.ts'
import { answers, type Chapter } from '../operation.ts'
import * as sample from '../samples.ts'

export const calls: Chapter = {
  title: 'Calls',
  says: 'For instances of kind `calls`, where the server has the module: they hear of calls and can reject them. Placing calls is not offered. On other instances both are 409 `session_conflict`.',
  operations: {
    'POST /call/reject': {
      id: 'rejectCall',
      summary: 'Reject a call that is ringing',
      who: 'instance',
      body: { schema: RejectCall, examples: { reject: { id: sample.call.CallID } } },
      answers: answers(Said, 'The network has taken it.', { response: 'Call rejected' }),
      faults: [...sample.asking, 'invalid_id'],
      replays: limits.replaySeconds,
    },
    'GET /call/list': {
      id: 'listCalls',
      summary: 'The last 50 calls',
      who: 'instance',
      answers: answers(CallList, 'Each as its newest state left it.', { calls: [sample.call] }),
      faults: sample.asking,
    },
  },
}
