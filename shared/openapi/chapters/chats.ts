// The chapter on chats.

import { ChatPage, NumberChecks } from '../../contract/answers/chat.ts'
import { ReadResult } from '../../contract/answers/message.ts'
import { ChatRead } from '../../contract/message.ts'
import { CheckNumbers, FindChats } from '../../contract/message-actions.ts'
import { unhonoured } from '../../contract/unhonoured.ts'
import { limits } from '../../contract/version.ts'
import { answers, type Chapter, refusing } from '../operation.ts'
import * as sample from '../samples.ts'

const customer = `${sample.customer}@s.msgnet.net`

const chat = {
  ...{ id: customer, lid: '', name: 'Bruno', isGroup: false, unreadCount: 2 },
  ...{ lastMessageId: sample.received.messageid, lastMessageTimestamp: sample.head.timestamp },
}

export const chats: Chapter = {
  title: 'Chats',
  says: 'What an instance has been written, chat by chat, and who can be written to.',
  operations: {
    'POST /chat/read': {
      id: 'readChat',
      summary: 'Mark what is unread in a chat as read',
      says: `Sends read receipts for up to ${limits.chatReadMessages} messages.`,
      who: 'instance',
      body: {
        schema: ChatRead,
        examples: {
          'mark as read': { number: sample.customer },
          'mark nothing': { number: sample.customer, read: false },
        },
      },
      answers: answers(ReadResult, 'How many were marked.', { success: true, marked: 3 }),
      faults: [...sample.asking, 'invalid_number'],
    },
    'POST /chat/find': {
      id: 'findChats',
      summary: 'List chats, newest first',
      says: `From what is stored: the network is not asked. Messages are kept for 30 days. ${refusing(unhonoured.findChats)}`,
      who: 'instance',
      body: {
        schema: FindChats,
        optional: true,
        examples: { all: {}, 'only unread': { unread: true, limit: 10 } },
      },
      answers: answers(ChatPage, 'A page of chats.', {
        ...{ chats: [chat], limit: 50, offset: 0, nextOffset: 1, hasMore: false },
      }),
      faults: [...sample.asking, 'invalid_limit'],
    },
    'POST /chat/check': {
      id: 'checkNumbers',
      summary: 'Who of these numbers has an account',
      says: 'Asks the network once for all of them. What is no number is answered with an `error`, it refuses nothing.',
      who: 'instance',
      body: { schema: CheckNumbers, examples: { 'one number': { numbers: [sample.customer] } } },
      answers: answers(NumberChecks, 'One for each, in the order that was asked.', [
        {
          ...{ query: sample.customer, jid: customer, lid: '', isInMsgnet: true },
          ...{ verifiedName: '', groupName: '', error: '' },
        },
      ]),
      faults: sample.asking,
    },
  },
}
