// Actions that send messages, and actions on existing messages.

import type { Deleted } from '../../shared/contract/answers/chat.ts'
import { STATUS } from '../../shared/jid.ts'
import { done, type Outcome, refused } from '../../shared/wire/outcome.ts'
import type { ContentToSend, OwnKey } from '../driver/driver.ts'
import type { Session } from '../sessions/session.ts'
import { findDeletion, type MessageRow } from '../store/messages.ts'
import { type ActionTable, notDone } from './action.ts'
import { findMessages } from './finding.ts'
import { markMessagesRead } from './marking-read.ts'
import { mediaActions } from './media.ts'
import { send, sendNew } from './sending.ts'
import { vcard } from './vcard.ts'

export const messageActions: ActionTable<'message'> = {
  'message.sendText': (context, request) =>
    sendNew(context, request, (saying) => ({ kind: 'text', text: request.text, ...saying })),

  'message.sendLocation': (context, request) =>
    sendNew(context, request, (saying) => {
      const { latitude, longitude, name, address } = request
      return { kind: 'location', latitude, longitude, name, address, ...saying }
    }),

  'message.sendMenu': (context, request) =>
    sendNew(context, request, (saying) => {
      const { text, choices, selectableCount: selectable } = request
      return { kind: 'poll', text, choices, selectable, ...saying }
    }),

  'message.sendContact': (context, request) =>
    sendNew(context, request, (saying) => ({
      kind: 'contact',
      displayName: request.fullName,
      vcard: vcard(request),
      ...saying,
    })),

  'message.markread': markMessagesRead,

  async 'message.forward'(context, { id, ...request }) {
    const message = await existing(context.session, id)
    if (!message?.encoded) return refused('message_not_found')
    return send(context, request, { kind: 'forward', encoded: message.encoded })
  },

  async 'message.react'(context, { id, text, ...request }) {
    const { session } = context
    const message = await existing(session, id)
    if (!message) return refused('message_not_found')
    if (!(await isIn(session, message, request.number))) {
      return refused('invalid_message', 'id: the message is not in the chat that number names')
    }
    const content: ContentToSend = { kind: 'reaction', target: keyOf(message), text, at: Date.now() }
    return send(context, request, content)
  },

  async 'message.edit'(context, { id, text, messageid }) {
    const message = await existing(context.session, id)
    if (!message?.encoded) return refused('message_not_found')
    const refusal = notOurs(message, 'edited')
    if (refusal) return refusal
    if (chatOf(message) === STATUS) return refused('invalid_message', 'id: a status post cannot be edited')
    const content = { target: keyOf(message), encoded: message.encoded, text, at: Date.now() }
    return send(context, { number: chatOf(message), messageid }, { kind: 'edit', ...content }, { text })
  },

  async 'message.delete'(context, { id, messageid }) {
    const { session } = context
    const message = await existing(session, id)
    if (!message) return (await deletedBefore(session, id)) ?? refused('message_not_found')
    const refusal = notOurs(message, 'deleted')
    if (refusal) return refusal
    const content: ContentToSend = { kind: 'delete', target: keyOf(message) }
    const outcome = await send(context, { number: chatOf(message), messageid }, content)
    if (outcome.kind !== 'done') return outcome
    return done({ id: message.record.id, timestamp: outcome.result.messageTimestamp })
  },

  async 'message.presence'({ network, deadline }, { number, presence }) {
    if (!network) return refused('not_connected')
    const written = await network.showPresence(number, presence, deadline)
    const answer = written.kind === 'done' ? await network.heard(deadline) : written
    return answer.kind === 'done' ? done({ shown: true }) : notDone(answer)
  },

  'message.find': findMessages,
  ...mediaActions,
}

/** Undefined for a deleted message, and for one that only changes another message. */
async function existing(session: Session, id: string): Promise<MessageRow | undefined> {
  const row = await session.intake.find(id)
  return row && row.record.status !== 'Deleted' && !row.change ? row : undefined
}

/** For an own message that is deleted already: the answer of the first deletion. */
async function deletedBefore(session: Session, id: string): Promise<Outcome<Deleted> | undefined> {
  const row = await session.intake.find(id)
  if (!row?.record.fromMe || row.record.status !== 'Deleted' || row.change) return
  const deletion = await findDeletion(session.store, row)
  return deletion && done({ id: row.record.id, timestamp: deletion.messageTimestamp })
}

function notOurs({ record }: MessageRow, done: string) {
  if (!record.fromMe) return refused('invalid_message', `id: only own messages can be ${done}`)
  if (record.status === 'Failed') return refused('invalid_message', 'id: this message was never sent')
  return undefined
}

const keyOf = ({ messageid, record }: MessageRow): OwnKey => {
  const { fromMe, chatid, sender, isGroup } = record
  return { messageid, fromMe, chatid, sender, isGroup }
}

const chatOf = ({ record }: MessageRow) => record.chatid

async function isIn(session: Session, { record }: MessageRow, number: string): Promise<boolean> {
  const { id, pn, lid } = (await session.network?.knownAs(number)) ?? { id: number, pn: '', lid: '' }
  const spellings = [record.chatid, record.chatlid].filter(Boolean)
  return [id, pn, lid].some((spelling) => spellings.includes(spelling))
}
