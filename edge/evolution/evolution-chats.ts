// What programs do with chats, and with messages that are there: marks, edits, deletions, blocks, labels.

import { limits } from '@msgnet/shared/contract/limits.ts'
import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import type { NumberCheck } from '@msgnet/shared/contract/responses/chat-responses.ts'
import type { Labels } from '@msgnet/shared/contract/responses/setting-responses.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Rows } from '../http/dialect-rows.ts'
import { type Fields, readFirst, readObject, readText } from '../http/read-fields.ts'
import { createMissing, requireKnown } from './evolution-bodies.ts'
import { createInvalid } from './evolution-errors.ts'
import { toOuterId, toOwnId } from './evolution-ids.ts'
import { toEvolutionMessage } from './evolution-message.ts'

const describeChecks = (checks: NumberCheck[], { numbers }: Fields) =>
  checks.map(({ jid, lid, isInMsgnet, verifiedName, groupName }, place) => {
    const number = readText((numbers as unknown[])[place])
    const name = verifiedName || groupName
    return { jid: toOuterId(jid || number), exists: isInMsgnet, number, name, lid: lid || null }
  })

function listRead({ readMessages, read_messages }: Fields): object {
  const keys = readMessages ?? read_messages
  if (!Array.isArray(keys) || keys.length === 0) throw createMissing('readMessages')
  const id = keys.map((key) => readText(readObject(key).id))
  if (id.includes('')) throw createInvalid(`instance.readMessages[${id.indexOf('')}] requires property "id"`)
  return { id }
}

/** The network has no other words for a chat: being available is of the account. */
const toPresence = ({ number, presence, delay }: Fields): object => ({
  number: toOwnId(number),
  presence: readText(presence),
  delay: Math.min(Number(delay ?? 0), limits.maxSendDelayMs),
})

/** By which the versions of Evolution name the message. */
const readId = (fields: Fields): string =>
  readText(readObject(fields.key).id ?? readFirst(fields, 'id', 'messageId'))

function toEdit(fields: Fields): object {
  const id = readId(fields)
  const text = readText(readFirst(fields, 'text', 'message'))
  if (id === '') throw createInvalid('instance.key requires property "id"')
  if (text === '') throw createMissing('text')
  return { id, text }
}

function toDeletion(fields: Fields): object {
  const id = readId(fields)
  if (id === '') throw createMissing('id')
  return { id }
}

const describeDeletion = (_: unknown, fields: Fields) => ({
  key: { remoteJid: toOuterId(toOwnId(fields.remoteJid)), fromMe: true, id: readId(fields) },
  status: 'DELETED',
  messageType: 'protocolMessage',
})

const toBlock = ({ number, status }: Fields): object => ({
  number: toOwnId(number),
  block: requireKnown('status', status, ['block', 'unblock']) === 'block',
})

const toLabelling = ({ number, labelId, action }: Fields): object => ({
  number: toOwnId(number),
  [`${requireKnown('action', action, ['add', 'remove'])}_labelid`]: readText(labelId),
})

const describePresence = (_: unknown, { presence }: Fields) => ({ presence })

function describeRead({ results }: { results: { error: string }[] }) {
  if (results.every(({ error }) => error === 'message_not_found')) throw new Fault('message_not_found')
  return { message: 'Read messages', read: 'success' }
}

export const chatRows: Rows = {
  'POST 200 /chat/whatsappNumbers': ['checkNumbers', 'numbers:jids!', describeChecks],
  'POST /chat/markMessageAsRead /message/readMessage': ['markRead', '', describeRead, listRead],
  'POST /chat/sendPresence': ['showPresence', 'number! presence!', describePresence, toPresence],
  'POST|PUT 200 /chat/updateMessage /message/update': [
    'editMessage',
    '',
    (record: MessageRecord, _, c) => toEvolutionMessage(record, c.var.instance.id),
    toEdit,
  ],
  'DELETE 201 /chat/deleteMessageForEveryone /message/delete': [
    'deleteMessage',
    '',
    describeDeletion,
    toDeletion,
  ],
  'POST /chat/archiveChat /chat/archive': [
    'archiveChat',
    'number=chat:jid! archive!',
    (_, { chat, archive }) => ({ chatId: chat, archived: archive }),
  ],
  'POST /chat/updateBlockStatus /chat/blockContact': [
    'blockPerson',
    'number! status!',
    () => ({ block: 'success' }),
    toBlock,
  ],
  'GET /label/findLabels': [
    'listLabels',
    '',
    (labels: Labels) => labels.map(({ labelid: id, name, color }) => ({ id, name, color: String(color) })),
  ],
  'POST 200 /label/handleLabel': [
    'labelChat',
    'number! labelId! action!',
    (_, { number, labelId, action }) => ({ numberJid: number, labelId, [String(action)]: true }),
    toLabelling,
  ],
}
