// Asks of chats: whether numbers have an account, marks of reading, and typing.

import { limits } from '@msgnet/shared/contract/limits.ts'
import type { NumberCheck } from '@msgnet/shared/contract/responses/chat-responses.ts'
import type { Context } from 'hono'
import { callContract } from '../http/call-contract.ts'
import type { DialectInput } from '../http/dialect-app.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { isObject, readObject, readText, requireFields } from './evolution-bodies.ts'
import { createInvalid } from './evolution-errors.ts'
import { toOuterId, toOwnId } from './evolution-ids.ts'

export async function checkNumbers(c: Context<EdgeEnv>, { body }: DialectInput) {
  requireFields(body, 'numbers')
  const asked = Array.isArray(body.numbers) ? body.numbers.map(readText) : []
  const checks = await callContract<NumberCheck[]>(c, 'checkNumbers', {
    body: { numbers: asked.map(toOwnId) },
  })
  return checks.map(({ jid, lid, isInMsgnet, verifiedName, groupName }, place) => {
    const number = asked[place] ?? ''
    return {
      jid: toOuterId(jid || number),
      exists: isInMsgnet,
      number,
      name: verifiedName || groupName,
      lid: lid || null,
    }
  })
}

export async function markAsRead(c: Context<EdgeEnv>, { body }: DialectInput) {
  const list = body.readMessages ?? body.read_messages
  const ids = (Array.isArray(list) ? list : []).map((key) => readText(readObject(key).id)).filter(Boolean)
  if (ids.length === 0) throw createInvalid('instance requires property "readMessages"')
  await callContract(c, 'markRead', { body: { id: ids }, isKeyed: true })
  return { message: 'Read messages', read: 'success' }
}

/** The network has no other words for a chat: being available is of the account. */
export async function showPresence(c: Context<EdgeEnv>, { body }: DialectInput) {
  const fields = { ...(isObject(body.options) && body.options), ...body }
  requireFields(fields, 'number', 'presence')
  const presence = readText(fields.presence)
  const delay = Math.min(Math.max(Math.floor(Number(fields.delay ?? 0)) || 0, 0), limits.maxSendDelayMs)
  await callContract(c, 'showPresence', { body: { number: toOwnId(fields.number), presence, delay } })
  return { presence }
}
