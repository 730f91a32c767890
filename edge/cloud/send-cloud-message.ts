// Apart from cloud-routes.ts, because it is a subject of its own: sends a message as the Cloud API has it, by the route of the contract for its type.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { extractPhone } from '@msgnet/shared/jid.ts'
import type { Context } from 'hono'
import { callContract } from '../http/call-contract.ts'
import type { DialectInput } from '../http/dialect-app.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { CloudRefusal } from './cloud-errors.ts'
import { requireNamed } from './cloud-instances.ts'
import { addPrefix, removePrefix } from './cloud-message-ids.ts'

type Fields = Record<string, unknown>

export async function sendMessage(c: Context<EdgeEnv>, { params, body }: DialectInput) {
  requireNamed(c, params.pn)
  const to = body.to ?? body.recipient
  if (typeof to !== 'string' || to === '')
    throw new CloudRefusal(131008, 'Required parameter is missing', 'to is missing.')
  const { context, type = 'text' } = body as { context?: Fields | null; type?: string }
  const replyid = context?.message_id
  const head = {
    number: to,
    async: true,
    ...(typeof replyid === 'string' && { replyid: removePrefix(replyid) }),
  }
  if (type !== 'text')
    throw new CloudRefusal(131051, 'Unsupported message type', `type ${type} is not supported.`)
  const { body: text } = (body.text ?? {}) as Fields
  const record = await callContract<MessageRecord>(c, 'sendText', { body: { ...head, text }, isKeyed: true })
  return {
    messaging_product: 'whatsapp',
    contacts: [{ input: to, wa_id: extractPhone(record.chatid) || to.replace(/\D/g, '') }],
    messages: [{ id: addPrefix(record.messageid), message_status: 'accepted' }],
  }
}
