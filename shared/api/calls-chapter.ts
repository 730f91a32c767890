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
    'These routes are for instances of kind `calls`, on a server that has the module: such instances are notified of calls and can reject them. Placing calls is not offered. On other instances both routes return 409 `session_conflict`.',
  routes: {
    rejectCall: defineRoute({
      method: 'POST',
      path: '/call/reject',
      summary: 'Rejects a call that is ringing',
      auth: 'instance',
      tokenScope: 'send',
      chats: 'named',
      body: {
        schema: RejectCall,
        faults: { id: 'invalid_id' },
        samples: { reject: { id: sample.call.CallID } },
      },
      response: describeFixedResponse(TextResponse, 'The network has accepted the request.', {
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
      summary: 'Lists the last 50 calls',
      auth: 'instance',
      tokenScope: 'read',
      chats: 'listed',
      response: describeResponse(CallList, 'The calls, each in its newest state.', { calls: [sample.call] }),
      faults: networkFaults,
    }),
  },
})
