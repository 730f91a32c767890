// What an instance of kind `calls` does with calls.

import type * as z from 'zod'
import type { CallList } from '../contract/answers/call.ts'
import type { Said } from '../contract/answers/chat.ts'
import type { RejectCall } from '../contract/call.ts'
import type { Call, Options, Repeatable } from './call.ts'

export const callCalls = (call: Call) => ({
  rejectCall: (request: z.input<typeof RejectCall>, options?: Repeatable) =>
    call<Said>('POST', '/call/reject', { body: request, options, once: true }),
  listCalls: (options?: Options) => call<CallList>('GET', '/call/list', { options }),
})
