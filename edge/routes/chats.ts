// Chats: marked read, and listed.

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
    if (!c.var.instance.hostId) return { chats: [], limit, offset, nextOffset: offset, hasMore: false }
    return act(c, placed(c), 'chat.find', body)
  },
} satisfies Partial<Handlers>
