// The chapter on chats.

import { limits } from '../contract/limits.ts'
import { CheckNumbers, FindChats } from '../contract/message-action-requests.ts'
import { ChatRead } from '../contract/message-requests.ts'
import { ChatPage, NumberChecks } from '../contract/responses/chat-responses.ts'
import { ReadResult } from '../contract/responses/message-responses.ts'
import { networkFaults } from './common-faults.ts'
import { defineChapter, defineRoute, describeResponse } from './route-declaration.ts'
import * as sample from './sample-values.ts'

export const chats = defineChapter({
  title: 'Chats',
  description: 'What an instance has been written, chat by chat, and who can be written to.',
  routes: {
    readChat: defineRoute({
      method: 'POST',
      path: '/chat/read',
      summary: 'Mark what is unread in a chat as read',
      description: `Sends read receipts for up to ${limits.maxMarkedMessages} messages.`,
      auth: 'instance',
      body: {
        schema: ChatRead,
        faults: { number: 'invalid_number' },
        samples: {
          'mark as read': { number: sample.customer },
          'mark nothing': { number: sample.customer, read: false },
        },
      },
      response: describeResponse(ReadResult, 'How many were marked.'),
      faults: [...networkFaults, 'invalid_number'],
    }),
    findChats: defineRoute({
      method: 'POST',
      path: '/chat/find',
      effect: 'reads',
      summary: 'List chats, newest first',
      description: `From what is stored; only who is blocked is asked of the network, once a connection. Messages are kept for 30 days. A filter that is not listed is refused by its name.`,
      auth: 'instance',
      body: {
        schema: FindChats,
        faults: { limit: 'invalid_limit' },
        onlyKnown: true,
        optional: true,
        samples: {
          all: {},
          'only unread': { unread: true, limit: 10 },
          'groups by name': { wa_isGroup: true, wa_name: '~shop', sort: 'wa_name' },
        },
      },
      response: describeResponse(ChatPage, 'A page of chats.'),
      faults: [...networkFaults, 'invalid_limit'],
    }),
    checkNumbers: defineRoute({
      method: 'POST',
      path: '/chat/check',
      summary: 'Who of these numbers has an account',
      description:
        'Asks the network once for all of them. What is no number is answered with an `error`, it refuses nothing.',
      auth: 'instance',
      body: { schema: CheckNumbers, samples: { 'one number': { numbers: [sample.customer] } } },
      response: describeResponse(NumberChecks, 'One for each, in the order that was asked.'),
      faults: networkFaults,
      action: 'chat.check',
    }),
  },
})
