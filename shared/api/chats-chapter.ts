// The chapter on chats.

import { limits } from '../contract/limits.ts'
import { CheckNumbers, FindChats, SubscribeChat } from '../contract/message-action-requests.ts'
import { ChatRead } from '../contract/message-requests.ts'
import { ChatPage, ChatSubscribed, NumberChecks, TextResponse } from '../contract/responses/chat-responses.ts'
import { ReadResult } from '../contract/responses/message-responses.ts'
import { ChatEphemeral } from '../contract/setting-requests.ts'
import { networkFaults, sendFaults } from './common-faults.ts'
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
      tokenScope: 'send',
      chats: 'named',
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
      tokenScope: 'read',
      chats: 'listed',
      showsTexts: 'conversation.read',
      body: {
        schema: FindChats,
        faults: { limit: 'invalid_limit' },
        onlyKnown: true,
        optional: true,
        samples: {
          all: {},
          'by a name or a number': { search: 'ana souza' },
          'groups by name': { wa_isGroup: true, wa_name: '~shop', sort: 'wa_name' },
        },
      },
      response: describeResponse(ChatPage, 'A page of chats.'),
      faults: [...networkFaults, 'invalid_limit', 'quota_reached'],
    }),
    subscribeChat: defineRoute({
      method: 'POST',
      path: '/chat/subscribe',
      summary: 'Subscribes to the presence of a person, or to who types in a group',
      description: `The event \`presence\` then says who is online, types or records in the chat, as far as the person shows it. The network tells it only to accounts that are online themselves: \`POST /instance/presence\`. Up to ${limits.maxPresenceChats} chats of an instance, until they are unsubscribed; each new connection renews them, and shows the account as online again if it was. Presence is sent once and not stored: one state a second for each person at most, the last one wins, \`seq\` is 0, and no list of events has it.`,
      auth: 'instance',
      tokenScope: 'send',
      chats: 'named',
      body: {
        schema: SubscribeChat,
        faults: { number: 'invalid_number' },
        samples: {
          subscribe: { number: sample.customer, subscribe: true },
          unsubscribe: { number: sample.customer, subscribe: false },
        },
      },
      response: describeResponse(ChatSubscribed, 'The subscription is changed.'),
      faults: [
        ...networkFaults,
        ...(['invalid_number', 'not_on_network', 'group_not_found', 'not_in_group'] as const),
      ],
      action: 'chat.subscribe',
    }),
    setChatTimer: defineRoute({
      method: 'POST',
      path: '/chat/ephemeral',
      summary: 'Sets after how long new messages of a chat disappear',
      description:
        'What is sent to the chat carries its timer, whoever set it. What has disappeared is deleted here too, unless the operator keeps it.',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'named',
      body: {
        schema: ChatEphemeral,
        faults: { number: 'invalid_number' },
        samples: { 'after a week': { number: sample.customer, seconds: 604_800 } },
      },
      response: describeResponse(TextResponse, 'The network has accepted it.'),
      faults: sendFaults,
      idempotent: limits.retentionSeconds,
      action: 'chat.ephemeral',
    }),
    checkNumbers: defineRoute({
      method: 'POST',
      path: '/chat/check',
      summary: 'Checks which numbers and usernames have an account',
      description:
        'One request to the network checks all of them. A number of Brazil, Mexico or Argentina is checked in both forms (with and without the ninth digit, the 1 after 52, the 9 after 54); `jid` is the one that has the account. A username is asked for in a request of its own; the network tells its `lid`, and the number only of those who show it. An entry that is neither gets an `error`; the request is not refused.',
      auth: 'instance',
      tokenScope: 'read',
      chats: 'listed',
      body: {
        schema: CheckNumbers,
        samples: {
          'one number': { numbers: [sample.customer] },
          'a username': { numbers: ['@ana.souza'] },
          'a username that demands a key': { numbers: ['@ana.souza:4711'] },
        },
      },
      response: describeResponse(NumberChecks, 'One result for each, in the order of the request.'),
      faults: networkFaults,
      action: 'chat.check',
    }),
  },
})
