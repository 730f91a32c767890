// Handlers that mark chats as read and list them.

import { toPagination } from '@msgnet/shared/contract/responses/pagination.ts'
import { dispatchAction } from '../hosts/dispatch-action.ts'
import { skipAudit } from '../http/record-audit.ts'
import type { Handlers } from '../http/serve-route.ts'
import { requireLoggedIn, requirePlaced } from './session-dispatch.ts'

export const chatHandlers = {
  async readChat(c, { body }) {
    if (!body.read)
      return {
        success: true,
        marked: 0,
        note: 'Marking as unread is not supported: nothing was marked.',
      }
    const { marked } = await dispatchAction(c, requireLoggedIn(c), 'chat.read', body)
    return { success: true, marked }
  },

  async findChats(c, { body }) {
    const { limit, offset } = body
    const none = { chats: [], limit, offset, nextOffset: offset, hasMore: false, total: 0 }
    const found = c.var.instance.hostId ? await dispatchAction(c, requirePlaced(c), 'chat.find', body) : none
    const { total, ...page } = found
    if (page.chats.length === 0) skipAudit(c)
    return { ...page, pagination: toPagination(total, limit, offset) }
  },
} satisfies Partial<Handlers>
