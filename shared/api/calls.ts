// The chapter on calls.

import { CallList } from '../contract/answers/call.ts'
import { Said } from '../contract/answers/chat.ts'
import { RejectCall } from '../contract/call.ts'
import { limits } from '../contract/version.ts'
import { asking } from './common-faults.ts'
import { alwaysAnswers, answers, defineChapter, defineRoute } from './route.ts'
import * as sample from './samples.ts'

export const calls = defineChapter({
  title: 'Calls',
  description:
    'For instances of kind `calls`, where the server has the module: they hear of calls and can reject them. Placing calls is not offered. On other instances both are 409 `session_conflict`.',
  routes: {
    rejectCall: defineRoute({
      method: 'POST',
      path: '/call/reject',
      summary: 'Reject a call that is ringing',
      auth: 'instance',
      body: {
        schema: RejectCall,
        faults: { id: 'invalid_id' },
        samples: { reject: { id: sample.call.CallID } },
      },
      answer: alwaysAnswers(Said, 'The network has taken it.', { response: 'Call rejected' }),
      faults: [...asking, 'invalid_id'],
      idempotent: limits.replaySeconds,
      action: 'call.reject',
      requires: 'voice',
    }),
    listCalls: defineRoute({
      method: 'GET',
      path: '/call/list',
      summary: 'The last 50 calls',
      auth: 'instance',
      answer: answers(CallList, 'Each as its newest state left it.', { calls: [sample.call] }),
      faults: asking,
    }),
  },
})
