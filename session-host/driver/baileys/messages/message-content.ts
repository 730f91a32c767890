// Reads the content of a network message, sent or received, into the driver's form. What each kind says is read in `kinds/`.

import { proto } from 'baileys'
import type { MessageContent } from '../../driver.ts'
import { truncateId } from '../../message-names.ts'
import { BoundedReader, MESSAGE_LIMITS } from './bounded-reader.ts'
import { type FieldName, findContext, findField } from './kinds/find-kind.ts'
import type { Reading } from './kinds/kind-reading.ts'
import { messageKinds } from './kinds/message-kinds.ts'
import { readNewerKind } from './kinds/newer-kinds.ts'
import { isCutContext, readContext, readNamedPeople, readTimer } from './message-context.ts'
import { findSeal } from './message-seals.ts'
import { type Unwrapped, unwrap, unwrapMessage } from './message-wrappers.ts'
import { findNewerField, type NewerField } from './newer-fields.ts'

export const encodeMessage = (content: proto.IMessage): Uint8Array<ArrayBuffer> =>
  new Uint8Array(proto.Message.encode(content).finish())

export const decodeMessage = (encoded: Uint8Array): proto.IMessage => proto.Message.decode(encoded)

/** Of a kind that has no reader: kept in its record, so that it can be read later. */
const MAX_UNREAD_BYTES = 16 * 1024
const { MEDIA_ALBUM } = proto.MessageAssociation.AssociationType

const nothing = { mediaType: '', text: '', quoted: '', reaction: '', target: '' }

/** Undefined for messages of the protocol. */
export function readContent(message: proto.IMessage | null | undefined): MessageContent | undefined {
  const unwrapped = unwrapMessage(message)
  const { content, wrapper } = unwrapped
  if (!content) return wrapper ? describeUnread(wrapper, message ?? {}) : undefined
  const name = findField(content)
  if (!name) return readNewer(findNewerField(content), wrapper)
  const kind = messageKinds[name]
  const reading = typeof kind === 'function' ? kind(content, readContent) : undefined
  if (kind === 'protocol' || reading === 'protocol') return undefined
  if (!reading) return describeUnread(name, content)
  const context = findContext(content, name)
  const isCut = reading.truncated === true || isCutContext(context)
  const { truncated: _, ...whole } = reading
  const timer = readTimer(context)
  return {
    messageType: name,
    ...nothing,
    quoted: truncateId(context?.stanzaId ?? ''),
    ...readNamedPeople(context),
    ...(timer && { timer }),
    ...whole,
    content: {
      ...reading.content,
      ...((wrapper || name !== 'conversation') && readPlace(unwrapped, message)),
      ...readContext(context),
    },
    ...(isCut && { truncated: true }),
  }
}

/** The name of a message that is of the protocol alone; empty for one that people see. */
export function findProtocolName(message: proto.IMessage | null | undefined): string {
  if (!message || readContent(message)) return ''
  const content = unwrap(message)
  if (!content) return ''
  const name = findField(content)
  if (name !== 'protocolMessage')
    return name ?? (findNewerField(content)?.name || Object.keys(content)[0] || '')
  const type = content.protocolMessage?.type ?? 0
  return `protocolMessage ${proto.Message.ProtocolMessage.Type[type] ?? type}`
}

/** What the message stands in: its wrapper, and the album or other message that it is a part of. */
function readPlace(
  { content, wrapper }: Unwrapped,
  message: proto.IMessage | null | undefined,
): Record<string, unknown> {
  const { messageAssociation } = content?.messageContextInfo ?? message?.messageContextInfo ?? {}
  const whole = truncateId(messageAssociation?.parentMessageKey?.id ?? '')
  const isAlbum = messageAssociation?.associationType === MEDIA_ALBUM
  return { ...(wrapper && { wrapper }), ...(whole && (isAlbum ? { album: whole } : { partOf: whole })) }
}

function readNewer(field: NewerField | undefined, wrapper: string): MessageContent | undefined {
  if (!field || field.isProtocol) return undefined
  const reading = readNewerKind(field)
  if (!reading) return describeUnsupported(field.name, field.number, field.bytes)
  const content = { ...reading.content, ...(wrapper && { wrapper }) }
  return { messageType: field.name, ...nothing, ...reading, content }
}

/** A known field of which nothing can be read: a wrapper without a message, or too many wrappers. */
function describeUnread(name: string, { [name as FieldName]: part }: proto.IMessage): MessageContent {
  const reader = new BoundedReader(encodeMessage({ [name]: part }), MESSAGE_LIMITS)
  const number = reader.len > 0 ? reader.uint32() >>> 3 : 0
  return describeUnsupported(name, number, reader.len > 0 ? reader.bytes() : new Uint8Array())
}

function describeUnsupported(name: string, field: number, bytes: Uint8Array): MessageContent {
  const kept = Buffer.from(bytes.subarray(0, MAX_UNREAD_BYTES)).toString('base64')
  const unsupported: Reading = { type: 'unsupported', content: { field, name, bytes: kept } }
  return {
    messageType: name || `field${field}`,
    ...nothing,
    ...unsupported,
    content: unsupported.content ?? {},
    ...(bytes.length > MAX_UNREAD_BYTES && { truncated: true }),
  }
}

/** The author of the message that a reaction, an edit, a pin or a deletion names, by the id that its sender used; named in groups only. */
export function findTargetAuthor(message: proto.IMessage | null | undefined): string {
  const content = unwrap(message)
  const changed =
    content?.reactionMessage ??
    content?.pinInChatMessage ??
    content?.keepInChatMessage ??
    content?.protocolMessage
  const seal = findSeal(content)
  const answered =
    content?.pollUpdateMessage?.pollCreationMessageKey ?? content?.commentMessage?.targetMessageKey
  return (changed?.key ?? seal?.key ?? answered)?.participant ?? ''
}
