// Formats events and their addresses for receivers and streams of uazapi.

import type { DisconnectReason, Pairing, Status } from '@msgnet/shared/contract/instance-requests.ts'
import { formatDateTime } from '@msgnet/shared/date-time.ts'
import { type EnvelopeSource, formatEnvelope } from '../dialect/envelope.ts'
import type { WebhookRow } from '../objects/due-events.ts'
import { encodeUtf8 } from '../runtime/bytes.ts'
import { toUazapiType } from './uazapi-messages.ts'
import { toUazapiSpelling } from './uazapi-spelling.ts'

interface Sender {
  baseUrl: string
  /** Of the instance; empty if it is not stored. */
  token: string
  /** Of a device that is being linked now. */
  pairing: Pairing | undefined
}

export function formatUazapiEnvelope(
  event: EnvelopeSource,
  instanceName: string,
  { baseUrl, token, pairing }: Sender,
): Uint8Array<ArrayBuffer> {
  const contractEnvelope = new TextDecoder().decode(formatEnvelope(event, instanceName))
  const envelope = toUazapiSpelling(JSON.parse(contractEnvelope)) as Record<string, unknown>
  const uazapiEnvelope = {
    BaseUrl: baseUrl,
    ...envelope,
    ...(event.type === 'messages' && describeMessage(envelope as unknown as MessageEnvelope)),
    ...(event.type === 'groups' && describeGroupChange(envelope as unknown as GroupEnvelope)),
    ...(event.type === 'connection' && describeConnection(envelope as unknown as StateEnvelope, pairing)),
    token,
  }
  return encodeUtf8(JSON.stringify(uazapiEnvelope))
}

interface MessageEnvelope {
  owner: string
  message: { messageType: string; sender: string; messageTimestamp: number }
  chat: { wa_lastMsgTimestamp?: number }
}

/** A message that arrives late is not the last one of its chat. */
function describeMessage({ owner, message, chat }: MessageEnvelope) {
  const isLast = (chat.wa_lastMsgTimestamp ?? 0) <= message.messageTimestamp
  const last = isLast ? message : { messageType: '', sender: '' }
  return {
    chatSource: 'updated',
    chat: { ...chat, owner, wa_lastMessageType: last.messageType, wa_lastMessageSender: last.sender },
  }
}

interface GroupEnvelope {
  event: { sender_pn: string }
}

const describeGroupChange = ({ event }: GroupEnvelope) => ({ event: { ...event, SenderPN: event.sender_pn } })

interface StateEnvelope {
  timestamp: number
  instance: { status: Status; lastDisconnectReason: DisconnectReason }
}

/** What its receivers call the end of a session. */
const endTypes: Partial<Record<DisconnectReason, string>> = {
  logged_out: 'LoggedOut',
  replaced: 'StreamReplaced',
  banned: 'TemporaryBan',
  outdated: 'ClientOutdated',
}

function describeConnection({ timestamp, instance }: StateEnvelope, pairing: Pairing | undefined) {
  const { status, lastDisconnectReason: reason } = instance
  const isEnd = status === 'disconnected'
  const type = isEnd ? (endTypes[reason] ?? 'Disconnected') : status === 'connected' ? 'Connected' : ''
  const qrcode = pairing?.method === 'qr' ? pairing.qrcode : ''
  const paircode = pairing?.method === 'code' ? pairing.code : ''
  const lastDisconnect = isEnd ? formatDateTime(timestamp) : ''
  return { type, instance: { ...instance, qrcode, paircode, lastDisconnect } }
}

/** The part of a webhook that has the address. */
type AddressSource = Pick<WebhookRow, 'url' | 'addUrlEvents' | 'addUrlTypes'>

/** The URL with the event's name and the message's type (`text`, `media`, …) added to its path, if the subscription has these options. */
export function formatUazapiAddress(
  { url, addUrlEvents, addUrlTypes }: AddressSource,
  { type, payload }: Pick<EnvelopeSource, 'type' | 'payload'>,
): string {
  const segments = [addUrlEvents ? type : '', addUrlTypes ? findMessageType(payload) : ''].filter(Boolean)
  if (segments.length === 0) return url
  const address = new URL(url)
  address.pathname = [address.pathname.replace(/\/$/, ''), ...segments.map(encodeURIComponent)].join('/')
  return address.href
}

/** The type of the message in an event; empty if there is none. */
export function findMessageType({ message }: Record<string, unknown>): string {
  const { type } = (message ?? {}) as { type?: unknown }
  return typeof type === 'string' ? toUazapiType(type) : ''
}
