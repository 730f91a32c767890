// The chapter on changes of existing messages.

import { limits } from '../contract/limits.ts'
import * as requests from '../contract/message-action-requests.ts'
import { MarkedRead } from '../contract/responses/account-responses.ts'
import { Deleted, MessagePage, TextResponse } from '../contract/responses/chat-responses.ts'
import { MessageRecord } from '../contract/responses/message-responses.ts'
import { unsupportedFields } from '../contract/unsupported-fields.ts'
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
      body: { schema: requests.DeleteMessage, faults: fieldFaults, samples: { delete: { id: own } } },
      response: describeResponse(Deleted, 'The message is deleted.'),
      faults,
      idempotent,
      action: 'message.delete',
      requires: 'host',
    }),
    editMessage: edit,
    putMessage: { ...edit, method: 'PUT', summary: 'Edits a text or caption, the same as POST' },
    findMessages: defineRoute({
      method: 'POST',
      path: '/message/find',
      effect: 'reads',
      summary: 'Finds stored messages',
      description: `The search is by \`id\`, \`chatid\`, \`track_id\` or \`track_source\` (among the newest 10,000). Without any of them, the response has the newest messages of all chats. Messages are stored for 30 days, of one chat the newest 10,000.`,
      auth: 'instance',
      showsTexts: true,
      body: {
        schema: requests.FindMessages,
        optional: true,
        faults: { id: 'invalid_id', chatid: 'invalid_number', limit: 'invalid_limit' },
        samples: { 'one message': { id: own }, 'a chat': { chatid: sample.customer, limit: 20 } },
      },
      response: describeResponse(MessagePage, 'A page of messages.'),
      faults: [...networkFaults, 'invalid_id', 'invalid_number', 'invalid_limit'],
    }),
    markRead: defineRoute({
      method: 'POST',
      path: '/message/markread',
      summary: 'Marks messages as read by their ids',
      description: `It sends read receipts for up to ${limits.maxMarkedMessages} messages. Each has its own result.`,
      auth: 'instance',
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
      body: {
        schema: requests.SendPresence,
        faults: { number: 'invalid_number' },
        unsupported: unsupportedFields.presence,
        samples: { typing: { number: sample.customer, presence: 'composing' } },
      },
      response: describeFixedResponse(TextResponse, 'The presence was sent.', { response: 'Presence sent' }),
      faults: [...networkFaults, 'invalid_number'],
      action: 'message.presence',
    }),
  },
})
