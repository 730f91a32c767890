// Sends a message as the Cloud API has it, by the route of the contract for its type; marks one as read.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { extractPhone } from '@msgnet/shared/jid.ts'
import type { Context } from 'hono'
import { callContract } from '../http/call-contract.ts'
import type { DialectInput } from '../http/dialect-app.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { isInteractive } from '../settings/env.ts'
import { CloudRefusal } from './cloud-errors.ts'
import { requireNamed } from './cloud-instances.ts'
import { toSentFile } from './cloud-media.ts'
import { toMenu } from './cloud-menus.ts'
import { addPrefix, removePrefix } from './cloud-message-ids.ts'
import { findRecipient } from './cloud-recipients.ts'
import { fillTemplate } from './cloud-templates.ts'

type Fields = Record<string, unknown>

/** A route of the contract, and its body without the receiver. */
interface Sending {
  route: 'sendText' | 'sendMedia' | 'sendLocation' | 'sendContact' | 'sendMenu' | 'reactToMessage'
  body: Fields
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

async function sendNew(c: Context<EdgeEnv>, body: Fields) {
  const to = requireText('to', body.to ?? body.recipient)
  const number = await findRecipient(c, to)
  const { context, biz_opaque_callback_data: data } = body as { context?: Fields | null } & Fields
  const replyid = context?.message_id
  const { route, body: content } = await toSending(c, body)
  const options = {
    async: true,
    ...(typeof replyid === 'string' && { replyid: removePrefix(replyid) }),
    ...(typeof data === 'string' && data !== '' && { track_id: data.slice(0, 256) }),
  }
  const record = await callContract<MessageRecord>(c, route, {
    body: { number, ...content, ...(route !== 'reactToMessage' && options) },
    isKeyed: true,
  })
  return {
    messaging_product: 'whatsapp',
    contacts: [{ input: to, wa_id: extractPhone(record.chatid) || to.replace(/\D/g, '') }],
    messages: [{ id: addPrefix(record.messageid), message_status: 'accepted' }],
  }
}

function requireText(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  if (typeof value === 'number') return String(value)
  throw new CloudRefusal(131008, 'Required parameter is missing', `${name} is missing.`)
}

async function toSending(c: Context<EdgeEnv>, body: Fields): Promise<Sending> {
  const { type = 'text' } = body as { type?: string }
  if (!TYPES.has(type)) throw createKindFault(`type ${type} is not supported.`)
  const content = readObject(type, body[type])
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
      return { route: 'sendMedia', body: await toFile(c, type, content) }
    case 'location': {
      const { latitude, longitude, name, address } = content
      const place = { latitude: Number(latitude), longitude: Number(longitude) }
      return { route: 'sendLocation', body: { ...place, ...pickTexts({ name, address }) } }
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
      return { route: 'sendMenu', body: await toMenu(content, (image) => openPicture(c, image)) }
    default:
      return toTemplate(c, content)
  }
}

/** The stored text is the whole message. */
async function toTemplate(c: Context<EdgeEnv>, content: Fields): Promise<Sending> {
  const { text, file } = fillTemplate(c.env, content)
  if (!file) return { route: 'sendText', body: { text } }
  return { route: 'sendMedia', body: { ...(await toFile(c, file.type, file.fields)), caption: text } }
}

const createKindFault = (details: string) => new CloudRefusal(131051, 'Unsupported message type', details)

/** Some programs write an object, or a list, as JSON in a text. */
function readObject(name: string, value: unknown): Fields {
  const found = typeof value === 'string' ? parseJson(name, value) : value
  if (typeof found === 'object' && found !== null) return found as Fields
  throw new CloudRefusal(131008, 'Required parameter is missing', `${name} is missing.`)
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new CloudRefusal(131009, 'Parameter value is not valid', `${name} is not valid JSON.`)
  }
}

const pickTexts = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === 'string'))

async function toFile(
  c: Context<EdgeEnv>,
  type: string,
  { link, caption, filename, voice, id }: Fields,
): Promise<Fields> {
  if (typeof link !== 'string' && id === undefined)
    throw new CloudRefusal(131008, 'Required parameter is missing', `${type}.link or ${type}.id is missing.`)
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

function toContact(contacts: Fields): Fields {
  if (!Array.isArray(contacts) || contacts.length !== 1)
    throw new CloudRefusal(131009, 'Parameter value is not valid', 'contacts must have one contact here.')
  const [{ name = {}, phones = [], org, emails = [], urls = [] }] = contacts as unknown as [
    Record<string, Fields & Fields[]>,
  ]
  const listed = (phones as Fields[]).map(({ phone, wa_id }) => String(phone ?? wa_id ?? ''))
  const { formatted_name: formatted, first_name: first } = name as Fields
  return {
    fullName: requireText('contacts.name.formatted_name', formatted ?? first),
    phoneNumber: listed.filter(Boolean).join(),
    ...pickTexts({
      organization: (org as Fields | undefined)?.company,
      email: (emails as Fields[])[0]?.email,
      url: (urls as Fields[])[0]?.url,
    }),
  }
}

async function markAsRead(c: Context<EdgeEnv>, { status, message_id, typing_indicator }: Fields) {
  if (status !== 'read')
    throw new CloudRefusal(131009, 'Parameter value is not valid', 'status must be read.')
  const id = removePrefix(requireText('message_id', message_id))
  await callContract(c, 'markRead', { body: { id: [id] }, isKeyed: true })
  if (typing_indicator) await showTyping(c, id)
  return { success: true }
}

async function showTyping(c: Context<EdgeEnv>, id: string): Promise<void> {
  const found = await callContract<{ messages: MessageRecord[] }>(c, 'findMessages', { body: { id } })
  const number = found.messages[0]?.chatid
  if (number === undefined) return
  await callContract(c, 'showPresence', { body: { number, presence: 'composing', delay: TYPING_MS } })
}
