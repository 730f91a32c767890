// Handlers for polls, whose response has more than the record, and for messages that the host has stored.

import { dispatchAction } from '../hosts/dispatch-action.ts'
import { skipAudit } from '../http/record-audit.ts'
import type { Handlers } from '../http/serve-route.ts'
import { chooseDelay } from './message-delay.ts'
import { dispatchMessage, requirePlaced, requireSendable } from './session-dispatch.ts'

export const messageHandlers = {
  async sendMenu(c, { body }) {
    const instance = requireSendable(c, body)
    const delay = chooseDelay(instance, body)
    const sent = await dispatchMessage(c, instance, 'message.sendMenu', { ...body, delay }, { delay })
    return { ...sent, response: { status: 'success', message: 'Poll sent' } }
  },

  async findMessages(c, { body }) {
    const { limit, offset } = body
    const found = c.get('instance').hostId
      ? await dispatchAction(c, requirePlaced(c), 'message.find', body)
      : { messages: [], limit, offset, nextOffset: offset, hasMore: false }
    if (found.messages.length === 0) skipAudit(c)
    return { ...found, returnedMessages: found.messages.length }
  },
} satisfies Partial<Handlers>
