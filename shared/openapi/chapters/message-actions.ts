// The chapter on what is done to messages that exist.

import { Deleted, MessagePage, Said } from '../../contract/answers/chat.ts'
import { MessageRecord } from '../../contract/answers/message.ts'
import * as asked from '../../contract/message-actions.ts'
import { unhonoured } from '../../contract/unhonoured.ts'
import { limits } from '../../contract/version.ts'
import { answers, type Chapter, type Operation, refusing } from '../operation.ts'
import * as sample from '../samples.ts'

const id = sample.received.messageid
const own = sample.sent.messageid
const faults = [...sample.sending, 'invalid_id' as const]
const replays = limits.replaySeconds

const edit: Omit<Operation, 'id' | 'summary'> = {
  says: 'Only own texts and captions. The answer is the edit itself; its `edited` names the message that it changes.',
  who: 'instance',
  body: {
    schema: asked.EditMessage,
    examples: { 'another text': { id: own, text: 'Your order 7 has arrived.' } },
  },
  answers: answers(MessageRecord, 'The edit as it was sent.', sample.edit),
  faults,
  replays,
}

export const messageActions: Chapter = {
  title: 'Message actions',
  says: 'What can be done to messages that are stored. An `id` is taken with or without its `owner:` prefix.',
  operations: {
    'POST /message/forward': {
      id: 'forwardMessage',
      summary: 'Forward a stored message',
      who: 'instance',
      body: { schema: asked.ForwardMessage, examples: { forward: { id, number: sample.customer } } },
      answers: answers(MessageRecord, 'The new message.', sample.sent),
      faults,
      replays,
    },
    'POST /message/react': {
      id: 'reactToMessage',
      summary: 'React to a message, or take the reaction back',
      who: 'instance',
      body: {
        schema: asked.ReactToMessage,
        examples: {
          react: { id, number: sample.customer, text: '👍' },
          'take it back': { id, number: sample.customer, text: '' },
        },
      },
      answers: answers(MessageRecord, 'The reaction as it was sent.', sample.reaction),
      faults,
      replays,
    },
    'POST /message/delete': {
      id: 'deleteMessage',
      summary: 'Delete an own message for everyone',
      says: 'Deleted again, the answer is that of the first time.',
      who: 'instance',
      body: { schema: asked.DeleteMessage, examples: { delete: { id: own } } },
      answers: answers(Deleted, 'It is no more.', { id: sample.sent.id, timestamp: sample.head.timestamp }),
      faults,
      replays,
    },
    'POST /message/edit': { id: 'editMessage', summary: 'Edit an own text or caption', ...edit },
    'PUT /message/edit': { id: 'putMessage', summary: 'The same as POST', ...edit },
    'POST /message/find': {
      id: 'findMessages',
      summary: 'Look up stored messages',
      says: `By \`id\`, \`chatid\` or \`track_id\`. Messages are kept for 30 days, of one chat the newest 10,000. ${refusing(unhonoured.findMessages)}`,
      who: 'instance',
      body: {
        schema: asked.FindMessages,
        examples: { 'what became of it': { id: own }, 'a chat': { chatid: sample.customer, limit: 20 } },
      },
      answers: answers(MessagePage, 'A page of messages.', {
        ...{ messages: [sample.sent], limit: 50, offset: 0, nextOffset: 1, hasMore: false },
      }),
      faults: [...sample.asking, 'invalid_id', 'invalid_number', 'invalid_limit'],
    },
    'POST /message/presence': {
      id: 'showPresence',
      summary: 'Show typing or recording in a chat',
      says: `Done once the network has read it; whether the other side looks is never told. ${refusing(unhonoured.presence)}`,
      who: 'instance',
      body: {
        schema: asked.SendPresence,
        examples: { typing: { number: sample.customer, presence: 'composing' } },
      },
      answers: answers(Said, 'It was sent.', { response: 'Presence sent' }),
      faults: [...sample.asking, 'invalid_number'],
    },
  },
}
