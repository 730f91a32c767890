// The chapter on calls.

import { RejectCall } from '../contract/call-requests.ts'
import { limits } from '../contract/limits.ts'
import { CallList } from '../contract/responses/call-responses.ts'
import { TextResponse } from '../contract/responses/chat-responses.ts'
import { networkFaults } from './common-faults.ts'
import { defineChapter, defineRoute, describeFixedResponse, describeResponse } from './route-declaration.ts'
import * as sample from './sample-values.ts'

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
      response: describeFixedResponse(TextResponse, 'The network has taken it.', {
        response: 'Call rejected',
      }),
      faults: [...networkFaults, 'invalid_id'],
      idempotent: limits.retentionSeconds,
      action: 'call.reject',
      requires: 'voice',
    }),
    listCalls: defineRoute({
      method: 'GET',
      path: '/call/list',
      summary: 'The last 50 calls',
      auth: 'instance',
      response: describeResponse(CallList, 'Each as its newest state left it.', { calls: [sample.call] }),
      faults: networkFaults,
    }),
  },
})
