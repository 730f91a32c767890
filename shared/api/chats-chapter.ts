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
  description: 'These routes work on the chats of an instance, and check which numbers can receive messages.',
  routes: {
    readChat: defineRoute({
      method: 'POST',
      path: '/chat/read',
      summary: 'Marks the unread messages of a chat as read',
      description: `It sends read receipts for up to ${limits.maxMarkedMessages} messages.`,
      auth: 'instance',
      body: {
        schema: ChatRead,
        faults: { number: 'invalid_number' },
        samples: {
          'mark as read': { number: sample.customer },
          'mark nothing': { number: sample.customer, read: false },
        },
      },
      response: describeResponse(ReadResult, 'The number of marked messages.'),
      faults: [...networkFaults, 'invalid_number'],
    }),
    findChats: defineRoute({
      method: 'POST',
      path: '/chat/find',
      effect: 'reads',
      summary: 'Lists chats, newest first',
      description: `The data comes from the store. Only the block list is requested from the network, once a connection. Messages are stored for 30 days. A filter that is not listed is refused by its name.`,
      auth: 'instance',
      showsTexts: true,
      body: {
        schema: FindChats,
        faults: { limit: 'invalid_limit' },
        onlyKnown: true,
        optional: true,
        samples: {
          all: {},
          'only unread': { unread: true, limit: 10 },
          'by a name or a number': { search: 'ana souza' },
          'groups by name': { wa_isGroup: true, wa_name: '~shop', sort: 'wa_name' },
        },
      },
      response: describeResponse(ChatPage, 'A page of chats.'),
      faults: [...networkFaults, 'invalid_limit'],
    }),
    checkNumbers: defineRoute({
      method: 'POST',
      path: '/chat/check',
      summary: 'Checks which of these numbers have an account',
      description:
        'One request to the network checks all of them. An entry that is no number gets an `error`; the request is not refused.',
      auth: 'instance',
      body: { schema: CheckNumbers, samples: { 'one number': { numbers: [sample.customer] } } },
      response: describeResponse(NumberChecks, 'One result for each, in the order of the request.'),
      faults: networkFaults,
      action: 'chat.check',
    }),
  },
})
