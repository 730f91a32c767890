// Handlers that mark chats as read and list them.

import { paginationOf } from '../../shared/contract/answers/pagination.ts'
import { act } from '../hosts/dispatch.ts'
import type { Handlers } from '../http/serve.ts'
import { loggedIn, placed } from './session-acts.ts'

export const chatHandlers = {
  async readChat(c, { body }) {
    if (!body.read)
      return {
        success: true,
        marked: 0,
        note: 'Marking as unread is not supported: nothing was marked.',
      }
    const { marked } = await act(c, loggedIn(c), 'chat.read', body)
    return { success: true, marked }
  },

  async findChats(c, { body }) {
    const { limit, offset } = body
    const none = { chats: [], limit, offset, nextOffset: offset, hasMore: false, total: 0 }
    const found = c.var.instance.hostId ? await act(c, placed(c), 'chat.find', body) : none
    const { total, ...page } = found
    return { ...page, pagination: paginationOf(total, limit, offset) }
  },
} satisfies Partial<Handlers>
