// Handlers for the calls of an instance of kind `calls`.

import { act } from '../hosts/dispatch.ts'
import type { Handlers } from '../http/serve.ts'
import { forVoice } from './session-acts.ts'

export const callHandlers = {
  async listCalls(c) {
    const instance = forVoice(c)
    // Without a host it was never connected.
    if (!instance.hostId) return { calls: [] }
    return act(c, instance, 'call.list', {})
  },
} satisfies Partial<Handlers>
