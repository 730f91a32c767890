// Handlers for polls, whose answer has more than the record, and for messages that the host has stored.

import { act } from '../hosts/dispatch.ts'
import type { Handlers } from '../http/serve.ts'
import { delayOf } from './pacing.ts'
import { actNamed, placed, sendable } from './session-acts.ts'

export const messageHandlers = {
  async sendMenu(c, { body }) {
    const instance = sendable(c, body)
    const delay = delayOf(instance, body)
    const sent = await actNamed(c, instance, 'message.sendMenu', { ...body, delay }, { delay })
    return { ...sent, response: { status: 'success', message: 'Poll sent' } }
  },

  async findMessages(c, { body }) {
    const { limit, offset } = body
    const found = c.get('instance').hostId
      ? await act(c, placed(c), 'message.find', body)
      : { messages: [], limit, offset, nextOffset: offset, hasMore: false }
    return { ...found, returnedMessages: found.messages.length }
  },
} satisfies Partial<Handlers>
