// Makes the webhooks of the Cloud API: one message or one status a request, and nothing of what it has no words for.

import { SECOND } from '@msgnet/shared/date-time.ts'
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
import { isStatusPost } from '../store/events/wanted-events.ts'
import { type Change, describeEdit, describeMessage, describeUpdate } from './cloud-changes.ts'

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

/** Of a webhook of this form. */
export interface CloudOptions {
  /** Beyond messages and statuses, those of `extraFields` that it has named: other readers stop at them. */
  fields?: string[]
}

export const cloudFormat: EventFormat = {
  name: 'cloud',
  showsCodes: false,
  // Whether an edit is the account's own is known by its result.
  showsResults: true,
  signing,
  async toParts(event, target) {
    const changes = listChanges(event, readFields(target))
    return Promise.all(
      changes.map(async (change, place) =>
        createPart(event, target, change, place === 0 ? '' : `value ${place}`),
      ),
    )
  },
}

const readFields = ({ receiver }: FormatTarget): ReadonlySet<string> =>
  new Set((receiver.formatOptions as CloudOptions | null | undefined)?.fields)

type Value = Record<string, unknown>

function listChanges(event: EventSource, fields: ReadonlySet<string>): Change[] {
  // Companies see no status posts of people.
  if (isStatusPost(event.type, event.payload)) return []
  switch (event.type) {
    case 'messages':
      return describeMessage(event, fields)
    case 'messages_update':
      return describeUpdate(event, fields)
    case 'messages_edit':
      return describeEdit(event, fields)
    case 'test':
      return [{ value: {} }]
    default:
      return []
  }
}

/** A program looks for the message of a status by the id in the response to its send, which it may not have read yet. */
const SEND_HOLD = SECOND

async function createPart(
  event: EventSource,
  { instanceName: _, handle, receiver: { url = '' } }: FormatTarget,
  { field = 'messages', value }: Change,
  name: string,
): Promise<Part> {
  const instance = handle ?? event.instanceId
  const metadata = { display_phone_number: event.owner, phone_number_id: instance }
  const change = { field, value: { messaging_product: 'whatsapp', metadata, ...value } }
  const body = { object: 'whatsapp_business_account', entry: [{ id: instance, changes: [change] }] }
  const isAnswered = (event.payload as Value).type === 'SendReceipt'
  return {
    id: name === '' ? event.id : await derivePartId(event.id, name),
    url,
    ...(isAnswered && { notBefore: event.at + SEND_HOLD }),
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
