// Messages that are stored at the instance's host.

import { act } from '../hosts/dispatch.ts'
import type { Handlers } from '../http/serve.ts'
import { placed } from './session-acts.ts'

export const messageHandlers = {
  async findMessages(c, { body }) {
    const { limit, offset } = body
    const found = c.var.instance.hostId
      ? await act(c, placed(c), 'message.find', body)
      : { messages: [], limit, offset, nextOffset: offset, hasMore: false }
    return { ...found, returnedMessages: found.messages.length }
  },
} satisfies Partial<Handlers>
