// The chapter on sending.

import { limits } from '../contract/limits.ts'
import { SendMenu } from '../contract/menu-requests.ts'
import { SendContact, SendEvent, SendLocation } from '../contract/message-action-requests.ts'
import { SendText } from '../contract/message-requests.ts'
import { MenuSent, MessageRecord } from '../contract/responses/message-responses.ts'
import { SendStatus } from '../contract/status-requests.ts'
import { unsupportedFields } from '../contract/unsupported-fields.ts'
import { networkFaults, sendFaults } from './common-faults.ts'
import { defineChapter, defineRoute, describeResponse } from './route-declaration.ts'
import * as sample from './sample-values.ts'

export const messages = defineChapter({
  title: 'Messages',
  description:
    'These routes send messages of an instance. A 504 `outcome_unknown` means that a request was sent to the network and the network did not respond in time. It contains the `messageid`; look the message up before you send it again. With an Idempotency-Key, the same request returns the outcome of the first one and never sends twice. Where the account of a number of Brazil, Mexico or Argentina has the other form of that number, the message goes to that account, and `chatid` names it.',
  routes: {
    sendText: defineRoute({
      method: 'POST',
      path: '/send/text',
      summary: 'Sends a text',
      auth: 'instance',
      tokenScope: 'send',
      chats: 'named',
      body: {
        schema: SendText,
        faults: { number: 'invalid_number' },
        unsupported: unsupportedFields.sendText,
        samples: {
          'a text': { number: sample.customer, text: sample.sent.text },
          'with a tracking id': {
            number: sample.customer,
            text: 'Your order 7 has arrived.',
            track_id: 'order-7',
            track_source: 'shop',
          },
        },
      },
      response: describeResponse(MessageRecord, 'The message, as it was sent.'),
      faults: [...sendFaults, 'invalid_url', 'media_unavailable'],
      idempotent: limits.retentionSeconds,
      action: 'message.sendText',
    }),
    sendLocation: defineRoute({
      method: 'POST',
      path: '/send/location',
      summary: 'Sends a location',
      auth: 'instance',
      tokenScope: 'send',
      chats: 'named',
      body: {
        schema: SendLocation,
        faults: { number: 'invalid_number' },
        unsupported: unsupportedFields.send,
        samples: {
          'a place': {
            number: sample.customer,
            latitude: -23.55,
            longitude: -46.63,
            name: 'The Shop',
            address: 'Rua Augusta 7',
          },
        },
      },
      response: describeResponse(MessageRecord, 'The message, as it was sent.'),
      faults: sendFaults,
      idempotent: limits.retentionSeconds,
      action: 'message.sendLocation',
    }),
    sendEvent: defineRoute({
      method: 'POST',
      path: '/send/event',
      summary: 'Sends an event',
      description: 'Who comes arrives as `messages`, with `content.answer`.',
      auth: 'instance',
      tokenScope: 'send',
      chats: 'named',
      body: {
        schema: SendEvent,
        faults: { number: 'invalid_number' },
        unsupported: unsupportedFields.send,
        samples: {
          'an event': {
            number: sample.customer,
            name: 'Opening',
            startTime: 1789678800000,
            locationName: 'The Shop',
          },
        },
      },
      response: describeResponse(MessageRecord, 'The message, as it was sent.'),
      faults: sendFaults,
      idempotent: limits.retentionSeconds,
      action: 'message.sendEvent',
    }),
    sendStatus: defineRoute({
      method: 'POST',
      path: '/send/status',
      summary: 'Posts a status',
      description:
        'The post goes to the contacts in the address book of the phone, as far as the account shows them its status. The gateway requests from the network who these contacts are. If there are none, the response is 422 `operation_refused`. `/message/delete` deletes the post.',
      auth: 'instance',
      tokenScope: 'send',
      chats: 'all',
      body: {
        schema: SendStatus,
        faults: {},
        maxBytes: limits.maxMediaBodyBytes,
        fileFields: ['file'],
        unsupported: unsupportedFields.sendStatus,
        samples: { 'a text': { type: 'text', text: 'Open until 8 today', background_color: 7, font: 2 } },
      },
      response: describeResponse(MessageRecord, 'The post, as it was sent.'),
      faults: [...networkFaults, 'quota_reached', 'invalid_url', 'media_unavailable'],
      idempotent: limits.retentionSeconds,
    }),
    sendMenu: defineRoute({
      method: 'POST',
      path: '/send/menu',
      summary: 'Sends a poll, or a menu of buttons, a list or a carousel',
      description:
        'Votes arrive as `messages_update` with `type` `PollVote`, and `event.vote` has the selected choices. The record of the poll has the votes in `content.votes`, and the newest in `vote`. Buttons, lists and carousels are off unless the server has `INTERACTIVE=on`: not every phone shows them when a linked device sends them, and nobody tells which does, so `content.shown` is `unknown`. Their text has every choice with its number. A tap, and a number in response, is a `messages` event with `buttonOrListid` and `vote`; a number counts within a day while the menu is the newest message of the account in a chat of two, and always as a reply to the menu. Pictures of buttons and of cards are fetched before anything is sent, each once; the rules of `/send/media` apply to their URLs. The body may have up to 12 MiB.',
      auth: 'instance',
      tokenScope: 'send',
      chats: 'named',
      body: {
        schema: SendMenu,
        faults: { number: 'invalid_number' },
        maxBytes: limits.maxMediaBodyBytes,
        fileFields: ['imageButton', 'choices'],
        unsupported: unsupportedFields.send,
        samples: {
          'a poll': { number: sample.customer, type: 'poll', text: 'When?', choices: ['Today', 'Tomorrow'] },
          buttons: {
            number: sample.customer,
            type: 'button',
            text: 'When shall we come?',
            choices: ['Today|today', 'Tomorrow|tomorrow', 'Our hours|https://shop.example/hours'],
          },
          'a list': {
            number: sample.customer,
            type: 'list',
            text: 'Which lamp?',
            listButton: 'Lamps',
            choices: ['[Of brass]', 'Small|b1|30 cm', 'Large|b2', '[Of glass]', 'Blue|g1'],
          },
          'a carousel with a picture': {
            number: sample.customer,
            type: 'carousel',
            text: 'Our lamps',
            choices: ['[Of brass]', `{${sample.pixel}}`, 'Take it|brass', '[Of glass]', 'Take it|glass'],
          },
        },
      },
      response: describeResponse(MenuSent, 'The message, as it was sent.'),
      faults: [...sendFaults, 'invalid_url', 'media_unavailable'],
      idempotent: limits.retentionSeconds,
    }),
    sendContact: defineRoute({
      method: 'POST',
      path: '/send/contact',
      summary: 'Sends a contact card',
      auth: 'instance',
      tokenScope: 'send',
      chats: 'named',
      body: {
        schema: SendContact,
        faults: { number: 'invalid_number', phoneNumber: 'invalid_phone' },
        unsupported: unsupportedFields.send,
        samples: {
          'a card': { number: sample.customer, fullName: 'Bruno Alves', phoneNumber: sample.customer },
        },
      },
      response: describeResponse(MessageRecord, 'The message, as it was sent.'),
      faults: [...sendFaults, 'invalid_phone'],
      idempotent: limits.retentionSeconds,
      action: 'message.sendContact',
    }),
  },
})
