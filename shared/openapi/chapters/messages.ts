// The chapter on messages and chats.

import { MessageRecord, ReadResult } from '../../contract/answers/message.ts'
import { ChatRead, SendText } from '../../contract/message.ts'
import { limits } from '../../contract/version.ts'
import { answers, type Chapter } from '../operation.ts'
import * as sample from '../samples.ts'

export const messages: Chapter = {
  title: 'Messages',
  says: 'What an instance sends and marks read. A 504 `outcome_unknown` means that the network was asked and did not answer in time: it carries the `messageid`, and must not be sent again without looking. With an Idempotency-Key the same request answers what became of it, and never sends twice.',
  operations: {
    'POST /send/text': {
      id: 'sendText',
      summary: 'Send a text',
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
      faults: [
        ...(['invalid_number', 'not_connected', 'message_not_found', 'not_on_network'] as const),
        ...([
          'operation_refused',
          'session_owned_elsewhere',
          'msgnet_unreachable',
          'outcome_unknown',
        ] as const),
      ],
      replays: limits.replaySeconds,
    },
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
      faults: [
        ...(['invalid_number', 'not_connected', 'operation_refused'] as const),
        ...(['session_owned_elsewhere', 'msgnet_unreachable', 'outcome_unknown'] as const),
      ],
    },
  },
}
