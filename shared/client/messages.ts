// What an instance does with messages and chats.

import type * as z from 'zod'
import type { ChatPage, Deleted, MessagePage, NumberChecks, Said } from '../contract/answers/chat.ts'
import type { Download } from '../contract/answers/media.ts'
import type { MessageRecord, ReadResult } from '../contract/answers/message.ts'
import type { DownloadMessage, SendMedia } from '../contract/media.ts'
import type { ChatRead, SendText } from '../contract/message.ts'
import type * as asked from '../contract/message-actions.ts'
import type { Call, Options, Repeatable } from './call.ts'

/** Whatever sends goes under a key: sent again after a lost answer, it is still sent once. */
export function messageCalls(call: Call) {
  const sending =
    <Request extends object, Answer = MessageRecord>(path: string) =>
    (request: Request, options?: Repeatable) =>
      call<Answer>('POST', path, { body: request, options, once: true })
  const asking =
    <Request extends object, Answer>(path: string) =>
    (request: Request, options?: Options) =>
      call<Answer>('POST', path, { body: request, options })
  return {
    sendText: sending<z.input<typeof SendText>>('/send/text'),
    sendLocation: sending<z.input<typeof asked.SendLocation>>('/send/location'),
    sendContact: sending<z.input<typeof asked.SendContact>>('/send/contact'),
    forwardMessage: sending<z.input<typeof asked.ForwardMessage>>('/message/forward'),
    sendMedia: sending<z.input<typeof SendMedia>>('/send/media'),
    downloadMessage: asking<z.input<typeof DownloadMessage>, Download>('/message/download'),
    /** An empty text takes the reaction back. */
    reactToMessage: sending<z.input<typeof asked.ReactToMessage>>('/message/react'),
    /** Only own texts and captions. */
    editMessage: sending<z.input<typeof asked.EditMessage>>('/message/edit'),
    /** For everyone; only own messages. */
    deleteMessage: sending<z.input<typeof asked.DeleteMessage>, Deleted>('/message/delete'),
    showPresence: asking<z.input<typeof asked.SendPresence>, Said>('/message/presence'),
    findMessages: asking<z.input<typeof asked.FindMessages>, MessagePage>('/message/find'),

    readChat: asking<z.input<typeof ChatRead>, ReadResult>('/chat/read'),
    findChats: asking<z.input<typeof asked.FindChats>, ChatPage>('/chat/find'),
    checkNumbers: asking<z.input<typeof asked.CheckNumbers>, NumberChecks>('/chat/check'),
  }
}
