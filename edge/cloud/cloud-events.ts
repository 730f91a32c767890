// Makes the webhooks of the Cloud API: one message or one status a request, and nothing of what it has no words for.

import type { MessagesPayload, MessagesUpdatePayload } from '@msgnet/shared/contract/event-names.ts'
import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { extractPhone, isLid } from '@msgnet/shared/jid.ts'
import {
  type Bytes,
  derivePartId,
  type EventFormat,
  type EventSource,
  type FormatTarget,
  type Part,
  type Signing,
} from '../dialect/event-format.ts'
import { encodeUtf8 } from '../runtime/bytes.ts'
import { describeFailure } from './cloud-errors.ts'
import { addPrefix } from './cloud-message-ids.ts'
import { formatSeconds, toReceivedMessage } from './received-cloud-message.ts'
import { formatUserId, type Person } from './user-ids.ts'

/** HMAC-SHA256 of the body in hex. The secret is its own ASCII here, also one with a prefix. */
const signing: Signing = {
  name: 'x-hub-signature-256',
  toKey: encodeUtf8,
  async createHeaders(id, _atMs, body, [newest]) {
    if (!newest) return { 'webhook-id': id }
    return { 'webhook-id': id, 'x-hub-signature-256': `sha256=${toHex(await newest(body))}` }
  },
}

const toHex = (base64: string): string =>
  [...atob(base64)].map((char) => char.charCodeAt(0).toString(16).padStart(2, '0')).join('')

export const cloudFormat: EventFormat = {
  name: 'cloud',
  showsCodes: false,
  showsResults: false,
  signing,
  async toParts(event, target) {
    const values = listValues(event)
    return Promise.all(
      values.map(async (value, place) =>
        createPart(event, target, value, place === 0 ? '' : `value ${place}`),
      ),
    )
  },
}

type Value = Record<string, unknown>

function listValues(event: EventSource): Value[] {
  switch (event.type) {
    case 'messages': {
      const { message } = event.payload as MessagesPayload
      return message.fromMe || message.isGroup ? [] : [describeReceived(message)]
    }
    case 'messages_update':
      return describeStatuses(event.payload as MessagesUpdatePayload)
    case 'test':
      return [{}]
    default:
      return []
  }
}

async function createPart(
  event: EventSource,
  { instanceName: _, handle, receiver: { url = '' } }: FormatTarget,
  value: Value,
  name: string,
): Promise<Part> {
  const instance = handle ?? event.instanceId
  const metadata = { display_phone_number: event.owner, phone_number_id: instance }
  const change = { field: 'messages', value: { messaging_product: 'whatsapp', metadata, ...value } }
  const body = { object: 'whatsapp_business_account', entry: [{ id: instance, changes: [change] }] }
  return {
    id: name === '' ? event.id : await derivePartId(event.id, name),
    url,
    createBody: () => encodeAscii(body),
  }
}

/** Every other character is escaped: so the service itself writes and signs, and some receivers sign it again so to compare. */
const encodeAscii = (body: object): Bytes =>
  encodeUtf8(
    JSON.stringify(body).replace(
      /[\u0080-\uffff]/g,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  )

function describeReceived(message: MessageRecord): Value {
  const from = describePerson(message.sender_pn || message.sender, message.sender_lid)
  const profile = { name: message.senderName || from.wa_id || '' }
  return { contacts: [{ profile, ...from }], messages: [toReceivedMessage(message, from)] }
}

function describePerson(jid: string, lid: string): Person {
  const phone = isLid(jid) ? '' : extractPhone(jid)
  return { ...(phone && { wa_id: phone }), user_id: formatUserId(phone, lid || (isLid(jid) ? jid : '')) }
}

const statuses: Partial<Record<MessagesUpdatePayload['state'], string>> = {
  Sent: 'sent',
  Delivered: 'delivered',
  Read: 'read',
  Played: 'played',
  Failed: 'failed',
}

/** Of messages of the account. */
function describeStatuses({ state, event }: MessagesUpdatePayload): Value[] {
  const status = statuses[state]
  if (!status || event.IsGroup) return []
  const { wa_id, user_id } = describePerson(event.chatid, event.chatlid ?? event.sender_lid)
  const errors = status === 'failed' && { errors: [describeError(event.error ?? '')] }
  const head = {
    status,
    timestamp: formatSeconds(event.Timestamp),
    ...(wa_id && { recipient_id: wa_id }),
    recipient_user_id: user_id,
  }
  return event.MessageIDs.map((id) => ({
    contacts: [{ ...(wa_id && { wa_id }), user_id }],
    statuses: [{ id: addPrefix(id), ...head, ...errors }],
  }))
}

function describeError(error: string) {
  const { code, title } = describeFailure(error)
  return { code, title, message: title, error_data: { details: error || title } }
}
