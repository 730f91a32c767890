// Apart from evolution-sends.ts, because they are about a message that is there: edits and deletions of it.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import type { Context } from 'hono'
import { callContract } from '../http/call-contract.ts'
import type { DialectInput } from '../http/dialect-app.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { type Body, readFirst, readObject, readText } from './evolution-bodies.ts'
import { createInvalid } from './evolution-errors.ts'
import { toOuterId, toOwnId } from './evolution-ids.ts'
import { toEvolutionMessage } from './evolution-message.ts'

/** By which the versions of Evolution name the message. */
const readId = (body: Body): string =>
  readText(readFirst(readObject(body.key), 'id') ?? readFirst(body, 'id', 'messageId'))

export async function editMessage(c: Context<EdgeEnv>, { body }: DialectInput) {
  const id = readId(body)
  const text = readText(readFirst(body, 'text', 'message'))
  if (id === '') throw createInvalid('instance.key requires property "id"')
  if (text === '') throw createInvalid('instance requires property "text"')
  const record = await callContract<MessageRecord>(c, 'editMessage', { body: { id, text }, isKeyed: true })
  return toEvolutionMessage(record, c.var.instance.id)
}

export async function deleteMessage(c: Context<EdgeEnv>, { body }: DialectInput) {
  const id = readId(body)
  if (id === '') throw createInvalid('instance requires property "id"')
  await callContract(c, 'deleteMessage', { body: { id }, isKeyed: true })
  const remoteJid = toOuterId(toOwnId(body.remoteJid))
  return { key: { remoteJid, fromMe: true, id }, status: 'DELETED', messageType: 'protocolMessage' }
}
