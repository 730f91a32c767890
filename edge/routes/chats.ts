// Chats: listed, marked read, and who of some numbers can be written to.

import type { ChatPage, NumberChecks } from '../../shared/contract/answers/chat.ts'
import type { ReadResult } from '../../shared/contract/answers/message.ts'
import type { ChatRead } from '../../shared/contract/message.ts'
import type { CheckNumbers, FindChats } from '../../shared/contract/message-actions.ts'
import { act } from '../hosts/dispatch.ts'
import type { Taking } from '../http/body.ts'
import { loggedIn, placed } from './session-acts.ts'

export async function readChat(c: Taking<typeof ChatRead>) {
  const chat = c.req.valid('json')
  if (!chat.read) {
    return c.json<ReadResult>({
      success: true,
      marked: 0,
      note: 'Marking as unread is not supported: nothing was marked.',
    })
  }
  const { marked } = await act(c, loggedIn(c), 'chat.read', chat)
  return c.json<ReadResult>({ success: true, marked })
}

export async function findChats(c: Taking<typeof FindChats>) {
  const wanted = c.req.valid('json')
  if (!c.var.instance.hostId) {
    const { limit, offset } = wanted
    return c.json<ChatPage>({ chats: [], limit, offset, nextOffset: offset, hasMore: false })
  }
  return c.json<ChatPage>(await act(c, placed(c), 'chat.find', wanted))
}

export async function checkNumbers(c: Taking<typeof CheckNumbers>) {
  return c.json<NumberChecks>(await act(c, loggedIn(c), 'chat.check', c.req.valid('json')))
}
