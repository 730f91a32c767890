// Sends a message as the Cloud API has it, by the route of the contract for its type; marks one as read.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import type { MarkedRead } from '@msgnet/shared/contract/responses/account-responses.ts'
import { Fault, type FaultName } from '@msgnet/shared/fault-table.ts'
import { extractPhone } from '@msgnet/shared/jid.ts'
import type { Context } from 'hono'
import { ContractRefusal, callContract } from '../http/call-contract.ts'
import type { DialectInput } from '../http/dialect-app.ts'
import { type Fields, isObject, listObjects, readObject, readText } from '../http/read-fields.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { isInteractive } from '../settings/env.ts'
import { CloudRefusal } from './cloud-errors.ts'
import { createWrong, readMessage } from './cloud-fields.ts'
import { requireNamed } from './cloud-instances.ts'
import { toSentFile } from './cloud-media.ts'
import { toMenu } from './cloud-menus.ts'
import { addPrefix, removePrefix } from './cloud-message-ids.ts'
import { findRecipient } from './cloud-recipients.ts'
import { fillTemplate } from './cloud-templates.ts'

/** A route of the contract, and its body without the receiver; a function makes it where a file has to be found. */
interface Sending {
  route: 'sendText' | 'sendMedia' | 'sendLocation' | 'sendContact' | 'sendMenu' | 'reactToMessage'
  body: Fields | (() => Promise<Fields>)
}

const TYPES = new Set(
  'text image video audio document sticker location contacts reaction interactive template'.split(' '),
)

/** How long the other side sees that somebody types. */
const TYPING_MS = 25_000

export function sendMessage(c: Context<EdgeEnv>, { params, body }: DialectInput) {
  requireNamed(c, params.pn)
  return body.status === undefined ? sendNew(c, body) : markAsRead(c, body)
}

async function sendNew(c: Context<EdgeEnv>, rawBody: Fields) {
  const body = readMessage(rawBody)
  const to = requireText('to', body.to ?? body.recipient)
  const { context, biz_opaque_callback_data: data } = body
  const replyid = context ? requireText('context.message_id', readObject(context).message_id) : undefined
  const { route, body: content } = toSending(c, body)
  const options = {
    async: true,
    ...(replyid !== undefined && { replyid: removePrefix(replyid) }),
    ...(typeof data === 'string' && data !== '' && { track_id: data.slice(0, 256) }),
  }
  const record = await callContract<MessageRecord>(c, route, {
    body: async () => ({
      number: await findRecipient(c, to),
      ...(typeof content === 'function' ? await content() : content),
      ...(route !== 'reactToMessage' && options),
    }),
    isKeyed: true,
    names: nameFields(String(body.type ?? 'text')),
  })
  return {
    messaging_product: 'whatsapp',
    contacts: [{ input: to, wa_id: extractPhone(record.chatid) || to.replace(/\D/g, '') }],
    messages: [{ id: addPrefix(record.messageid), message_status: 'accepted' }],
  }
}

/** What the fields of the contract are here. */
const nameFields = (type: string): Record<string, string> => ({
  number: 'to',
  replyid: 'context.message_id',
  file: `${type}.link`,
  docName: `${type}.filename`,
  latitude: 'location.latitude',
  longitude: 'location.longitude',
  id: 'reaction.message_id',
  fullName: 'contacts.name.formatted_name',
  phoneNumber: 'contacts.phones',
  choices: 'interactive.action',
})

function requireText(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  if (typeof value === 'number') return String(value)
  throw createMissing(name)
}

const createMissing = (name: string) =>
  new CloudRefusal(131008, 'Required parameter is missing', `${name} is missing.`)

function toSending(c: Context<EdgeEnv>, body: Fields): Sending {
  const { type = 'text' } = body as { type?: string }
  if (!TYPES.has(type)) throw createKindFault(`type ${type} is not supported.`)
  const content = body[type] as Fields
  if (!isObject(content) && !Array.isArray(content)) throw createMissing(type)
  switch (type) {
    case 'text':
      return {
        route: 'sendText',
        body: {
          text: requireText('text.body', content.body),
          ...(content.preview_url === true && { linkPreview: true }),
        },
      }
    case 'image':
    case 'video':
    case 'audio':
    case 'document':
    case 'sticker':
      return { route: 'sendMedia', body: () => toFile(c, type, content) }
    case 'location': {
      const { latitude, longitude, name, address } = content
      if (typeof latitude !== 'number') throw createMissing('location.latitude')
      if (typeof longitude !== 'number') throw createMissing('location.longitude')
      return { route: 'sendLocation', body: { latitude, longitude, ...pickTexts({ name, address }) } }
    }
    case 'contacts':
      return { route: 'sendContact', body: toContact(content) }
    case 'reaction': {
      const { message_id: id, emoji } = content
      const text = typeof emoji === 'string' ? emoji : ''
      return {
        route: 'reactToMessage',
        body: { id: removePrefix(requireText('reaction.message_id', id)), text },
      }
    }
    case 'interactive':
      return { route: 'sendMenu', body: () => toMenu(content, (image) => openPicture(c, image)) }
    default:
      return toTemplate(c, content)
  }
}

/** The stored text is the whole message. */
function toTemplate(c: Context<EdgeEnv>, content: Fields): Sending {
  const { text, file } = fillTemplate(c.env, content)
  if (!file) return { route: 'sendText', body: { text } }
  return {
    route: 'sendMedia',
    body: async () => ({ ...(await toFile(c, file.type, file.fields)), caption: text }),
  }
}

const createKindFault = (details: string) => new CloudRefusal(131051, 'Unsupported message type', details)

const pickTexts = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === 'string'))

async function toFile(
  c: Context<EdgeEnv>,
  type: string,
  { link, caption, filename, voice, id }: Fields,
): Promise<Fields> {
  if (typeof link !== 'string' && id === undefined) throw createMissing(`${type}.link or ${type}.id`)
  const source =
    typeof link === 'string' ? { file: link } : await toSentFile(c, requireText(`${type}.id`, id))
  const named = pickTexts({ caption, docName: filename })
  return { type: type === 'audio' && voice === true ? 'ptt' : type, ...source, ...named }
}

async function openPicture(c: Context<EdgeEnv>, image: Fields): Promise<unknown> {
  if (!isInteractive(c.env))
    throw createKindFault('Without INTERACTIVE choices go as a text, without a picture.')
  return (await toFile(c, 'image', image)).file
}

function toContact(contacts: unknown): Fields {
  const [contact, ...others] = listObjects(contacts)
  if (!contact || others.length > 0) throw createWrong('contacts must have one contact here.')
  const { formatted_name: formatted, first_name: first } = readObject(contact.name)
  const phones = listObjects(contact.phones).map(({ phone, wa_id }) => readText(phone ?? wa_id))
  return {
    fullName: requireText('contacts.name.formatted_name', formatted ?? first),
    phoneNumber: phones.filter(Boolean).join(),
    ...pickTexts({
      organization: readObject(contact.org).company,
      email: listObjects(contact.emails)[0]?.email,
      url: listObjects(contact.urls)[0]?.url,
    }),
  }
}

async function markAsRead(c: Context<EdgeEnv>, { status, message_id, typing_indicator }: Fields) {
  if (status !== 'read') throw createWrong('status must be read.')
  const id = removePrefix(requireText('message_id', message_id))
  const { results } = await callContract<MarkedRead>(c, 'markRead', { body: { id: [id] }, isKeyed: true })
  const refused = results.find(({ error }) => error !== '')
  if (refused) throw new Fault(refused.error as FaultName)
  if (typing_indicator) await showTyping(c, id)
  return { success: true }
}

async function showTyping(c: Context<EdgeEnv>, id: string): Promise<void> {
  try {
    const found = await callContract<{ messages: MessageRecord[] }>(c, 'findMessages', { body: { id } })
    const number = found.messages[0]?.chatid
    if (number === undefined) return
    await callContract(c, 'showPresence', { body: { number, presence: 'composing', delay: TYPING_MS } })
  } catch (error) {
    // The message is marked as read, which is what the caller asks about.
    if (!(error instanceof ContractRefusal)) throw error
  }
}
