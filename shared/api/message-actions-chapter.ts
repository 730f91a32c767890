// The chapter on changes of existing messages.

import { limits } from '../contract/limits.ts'
import * as requests from '../contract/message-action-requests.ts'
import { MarkedRead } from '../contract/responses/account-responses.ts'
import { Deleted, MessagePage, TextResponse } from '../contract/responses/chat-responses.ts'
import { HistoryRequested, MessageRecord } from '../contract/responses/message-responses.ts'
import { networkFaults, sendFaults } from './common-faults.ts'
import { defineChapter, defineRoute, describeFixedResponse, describeResponse } from './route-declaration.ts'
import * as sample from './sample-values.ts'

const id = sample.received.messageid
const own = sample.sent.messageid
const faults = [...sendFaults, 'invalid_id' as const]
const fieldFaults = { id: 'invalid_id', number: 'invalid_number', text: 'invalid_message' } as const
const idempotent = limits.retentionSeconds

const edit = defineRoute({
  method: 'POST',
  path: '/message/edit',
  summary: 'Edits a text or caption of the account',
  description:
    'Only texts and captions of the account can be edited. The response is the edit itself; its `edited` names the message that it changes.',
  auth: 'instance',
  tokenScope: 'send',
  chats: 'named',
  body: {
    schema: requests.EditMessage,
    faults: fieldFaults,
    samples: { 'another text': { id: own, text: 'Your order 7 has arrived.' } },
  },
  response: describeResponse(MessageRecord, 'The edit, as it was sent.'),
  faults,
  idempotent,
  action: 'message.edit',
  requires: 'host',
})

export const messageActions = defineChapter({
  title: 'Message actions',
  description:
    'These routes work on stored messages. An `id` is accepted with or without its `owner:` prefix.',
  routes: {
    forwardMessage: defineRoute({
      method: 'POST',
      path: '/message/forward',
      summary: 'Forwards a stored message',
      auth: 'instance',
      tokenScope: 'send',
      chats: 'named',
      body: {
        schema: requests.ForwardMessage,
        faults: fieldFaults,
        samples: { forward: { id, number: sample.customer } },
      },
      response: describeResponse(MessageRecord, 'The new message.'),
      faults,
      idempotent,
      action: 'message.forward',
      requires: 'host',
    }),
    reactToMessage: defineRoute({
      method: 'POST',
      path: '/message/react',
      summary: 'Reacts to a message, or removes the reaction',
      auth: 'instance',
      tokenScope: 'send',
      chats: 'named',
      body: {
        schema: requests.ReactToMessage,
        faults: fieldFaults,
        samples: {
          react: { id, number: sample.customer, text: '👍' },
          remove: { id, number: sample.customer, text: '' },
        },
      },
      response: describeResponse(MessageRecord, 'The reaction, as it was sent.'),
      faults,
      idempotent,
      action: 'message.react',
      requires: 'host',
    }),
    deleteMessage: defineRoute({
      method: 'POST',
      path: '/message/delete',
      effect: 'destroys',
      summary: 'Deletes a message of the account for everyone',
      description: 'If the message is deleted again, the response is the same as the first time.',
      auth: 'instance',
      tokenScope: 'send',
      chats: 'named',
      body: { schema: requests.DeleteMessage, faults: fieldFaults, samples: { delete: { id: own } } },
      response: describeResponse(Deleted, 'The message is deleted.'),
      faults,
      idempotent,
      action: 'message.delete',
      requires: 'host',
    }),
    editMessage: edit,
    putMessage: { ...edit, method: 'PUT', summary: 'Edits a text or caption, the same as POST' },
    pinMessage: defineRoute({
      method: 'POST',
      path: '/message/pin',
      summary: 'Pins a message in its chat for everyone, or unpins it',
      description:
        'In a chat with one person or in a group, for 1, 7 or 30 days. The stored message has `content.pinned` and `content.pinnedUntil`; pins of others arrive as `messages_update` of `type` `PinnedMessage`.',
      auth: 'instance',
      tokenScope: 'send',
      chats: 'named',
      body: {
        schema: requests.PinMessage,
        faults: fieldFaults,
        samples: { 'for a week': { id, days: 7 }, unpin: { id, pin: false } },
      },
      response: describeResponse(MessageRecord, 'The pin, as it was sent.'),
      faults,
      idempotent,
      action: 'message.pin',
      requires: 'host',
    }),
    starMessage: defineRoute({
      method: 'POST',
      path: '/message/star',
      summary: 'Stars a message for the account, or removes the star',
      description:
        'All devices of the account show the star, nobody else does. The stored message has `content.starred`; stars that are set on the phone arrive as `messages_update` of `type` `StarredMessage`.',
      auth: 'instance',
      tokenScope: 'send',
      chats: 'named',
      body: {
        schema: requests.StarMessage,
        faults: fieldFaults,
        samples: { star: { id, star: true }, 'remove the star': { id, star: false } },
      },
      response: describeResponse(TextResponse, 'The star is changed.'),
      faults: [...networkFaults, 'invalid_id', 'message_not_found'],
      idempotent,
      action: 'message.star',
      requires: 'host',
    }),
    findMessages: defineRoute({
      method: 'POST',
      path: '/message/find',
      effect: 'reads',
      summary: 'Finds stored messages',
      description: `The search is by \`id\`, \`chatid\`, \`search\`, \`track_id\` or \`track_source\` (among the newest 10,000). Without any of them, the response has the newest messages of all chats. Messages are stored for 30 days, of one chat the newest 10,000. A field that is not listed is refused by its name.`,
      auth: 'instance',
      tokenScope: 'read',
      chats: 'listed',
      showsTexts: 'conversation.read',
      body: {
        schema: requests.FindMessages,
        optional: true,
        onlyKnown: true,
        faults: {
          id: 'invalid_id',
          beforeId: 'invalid_id',
          chatid: 'invalid_number',
          limit: 'invalid_limit',
        },
        samples: {
          'one message': { id: own },
          'a chat': { chatid: sample.customer, limit: 20 },
        },
      },
      response: describeResponse(MessagePage, 'A page of messages.'),
      faults: [
        ...networkFaults,
        ...(['message_not_found', 'invalid_id', 'invalid_number', 'invalid_limit', 'quota_reached'] as const),
      ],
    }),
    requestHistory: defineRoute({
      method: 'POST',
      path: '/message/history',
      summary: 'Asks the phone for older messages of a chat',
      description:
        'The phone answers when it is on. The messages come like those of the history: they are stored with `source` `history`, and delivered as `history` events.',
      auth: 'instance',
      tokenScope: 'send',
      chats: 'named',
      body: {
        schema: requests.RequestHistory,
        faults: { number: 'invalid_number', messageid: 'invalid_id', count: 'invalid_limit' },
        samples: {
          'before the oldest': { number: sample.customer },
          'before a message': { number: sample.customer, messageid: id, count: 20 },
        },
      },
      response: describeFixedResponse(HistoryRequested, 'The request was sent to the phone.', {
        requested: true,
      }),
      faults: [...networkFaults, 'message_not_found', 'invalid_id', 'invalid_number', 'invalid_limit'],
    }),
    recoverMessage: defineRoute({
      method: 'POST',
      path: '/message/recover',
      summary: 'Asks the phone once more for a message that could not be decrypted',
      description:
        'For the `messageid` of an `undecryptable` event, up to two weeks after it. The gateway asks by itself once, ten seconds after the event. The message comes as a `messages` event with `late: true`, when the phone is on and has it.',
      auth: 'instance',
      tokenScope: 'send',
      chats: 'named',
      body: {
        schema: requests.RecoverMessage,
        faults: { id: 'invalid_id' },
        samples: { 'an undecryptable message': { id } },
      },
      response: describeFixedResponse(HistoryRequested, 'The request was sent to the phone.', {
        requested: true,
      }),
      faults: [...networkFaults, 'message_not_found', 'invalid_message', 'invalid_id'],
      action: 'message.recover',
    }),
    markRead: defineRoute({
      method: 'POST',
      path: '/message/markread',
      summary: 'Marks messages as read by their ids',
      description: `It sends read receipts for up to ${limits.maxMarkedMessages} messages. Each has its own result.`,
      auth: 'instance',
      tokenScope: 'send',
      chats: 'named',
      body: {
        schema: requests.MarkMessagesRead,
        faults: { id: 'invalid_id' },
        samples: { one: { id: [id] } },
      },
      response: describeResponse(MarkedRead, 'The result for each message.'),
      faults: [...networkFaults, 'invalid_id'],
      action: 'message.markread',
    }),
    showPresence: defineRoute({
      method: 'POST',
      path: '/message/presence',
      summary: 'Shows typing or recording in a chat',
      description: `The request is done when the network has read it. Whether the other side sees it is not known.`,
      auth: 'instance',
      tokenScope: 'send',
      chats: 'named',
      body: {
        schema: requests.SendPresence,
        faults: { number: 'invalid_number' },
        samples: {
          typing: { number: sample.customer, presence: 'composing' },
          'for three seconds': { number: sample.customer, presence: 'composing', delay: 3000 },
        },
      },
      response: describeFixedResponse(TextResponse, 'The presence was sent.', { response: 'Presence sent' }),
      faults: [...networkFaults, 'invalid_number'],
      action: 'message.presence',
    }),
  },
})
