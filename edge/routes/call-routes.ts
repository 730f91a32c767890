// Handlers for the calls of an instance of kind `calls`.

import { dispatchAction } from '../hosts/dispatch-action.ts'
import type { Handlers } from '../http/serve-route.ts'
import { requireCallsKind } from './session-dispatch.ts'

export const callHandlers = {
  async listCalls(c) {
    const instance = requireCallsKind(c)
    // Without a host it was never connected.
    if (!instance.hostId) return { calls: [] }
    return dispatchAction(c, instance, 'call.list', {})
  },
} satisfies Partial<Handlers>
