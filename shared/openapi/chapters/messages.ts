// The chapter on sending.

import { MessageRecord } from '../../contract/answers/message.ts'
import { SendText } from '../../contract/message.ts'
import { SendContact, SendLocation } from '../../contract/message-actions.ts'
import { unhonoured } from '../../contract/unhonoured.ts'
import { limits } from '../../contract/version.ts'
import { answers, type Chapter, refusing } from '../operation.ts'
import * as sample from '../samples.ts'

export const messages: Chapter = {
  title: 'Messages',
  says: 'What an instance sends. A 504 `outcome_unknown` means that the network was asked and did not answer in time: it carries the `messageid`, and must not be sent again without looking. With an Idempotency-Key the same request answers what became of it, and never sends twice.',
  operations: {
    'POST /send/text': {
      id: 'sendText',
      summary: 'Send a text',
      says: refusing(unhonoured.send),
      who: 'instance',
      body: {
        schema: SendText,
        examples: {
          'a text': { number: sample.customer, text: 'Good morning' },
          'with an id of yours': {
            number: sample.customer,
            text: 'Your order 7 is on its way.',
            track_id: 'order-7',
            track_source: 'shop',
          },
        },
      },
      answers: answers(MessageRecord, 'The message as it was sent.', sample.sent),
      faults: sample.sending,
      replays: limits.replaySeconds,
    },
    'POST /send/location': {
      id: 'sendLocation',
      summary: 'Send a place',
      says: refusing(unhonoured.send),
      who: 'instance',
      body: {
        schema: SendLocation,
        examples: {
          'a place': { number: sample.customer, latitude: -23.55, longitude: -46.63, name: 'The Shop' },
        },
      },
      answers: answers(MessageRecord, 'The message as it was sent.', sample.place),
      faults: sample.sending,
      replays: limits.replaySeconds,
    },
    'POST /send/contact': {
      id: 'sendContact',
      summary: 'Send a contact card',
      says: refusing(unhonoured.send),
      who: 'instance',
      body: {
        schema: SendContact,
        examples: {
          'a card': { number: sample.customer, fullName: 'Bruno Alves', phoneNumber: sample.customer },
        },
      },
      answers: answers(MessageRecord, 'The message as it was sent.', sample.card),
      faults: [...sample.sending, 'invalid_phone'],
      replays: limits.replaySeconds,
    },
  },
}
