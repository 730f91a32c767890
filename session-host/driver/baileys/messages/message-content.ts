// Reads the content of a network message, sent or received, into the driver's form.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { MAX_LIST_ITEMS } from '@msgnet/shared/truncation.ts'
import { getContentType, normalizeMessageContent, proto } from 'baileys'
import type { MessageContent, MessageType } from '../../driver.ts'
import { truncateId } from '../../message-names.ts'
import { toHexColor } from './colors.ts'
import { readTap } from './menu-answers.ts'
import { describeMenu, getMenuText, isCutMenu, type Menu, readMenu } from './menu-content.ts'
import { isCutContext, readContext, readNamedPeople } from './message-context.ts'
import { findSeal, type Seal, type SealLabel } from './message-seals.ts'
import { findPoll, getQuestion, isCutPoll, listChoices } from './poll-content.ts'

export const encodeMessage = (content: proto.IMessage): Uint8Array<ArrayBuffer> =>
  new Uint8Array(proto.Message.encode(content).finish())

export const decodeMessage = (encoded: Uint8Array): proto.IMessage => proto.Message.decode(encoded)

/** Phones send 64. */
const MAX_WAVEFORM_VALUES = 256

const mediaTypes: Record<string, string> = {
  imageMessage: 'image',
  videoMessage: 'video',
  ptvMessage: 'video',
  audioMessage: 'audio',
  documentMessage: 'document',
  stickerMessage: 'sticker',
}

const otherTypes: Record<string, MessageType> = {
  conversation: 'text',
  extendedTextMessage: 'text',
  locationMessage: 'location',
  liveLocationMessage: 'location',
  contactMessage: 'contact',
  contactsArrayMessage: 'contact',
  reactionMessage: 'reaction',
  pollCreationMessage: 'poll',
  pollCreationMessageV2: 'poll',
  pollCreationMessageV3: 'poll',
  pollUpdateMessage: 'vote',
  // A tap is read as what it says.
  buttonsResponseMessage: 'text',
  listResponseMessage: 'text',
  templateButtonReplyMessage: 'text',
  interactiveResponseMessage: 'text',
}

/** Phones make them of a few kilobytes; each is in the record and in its event. */
const MAX_THUMBNAIL_BYTES = 16 * 1024

const { REVOKE, MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type
const { PIN_FOR_ALL } = proto.Message.PinInChatMessage.Type

/** Undefined for messages of the protocol. */
export function readContent(message: proto.IMessage | null | undefined): MessageContent | undefined {
  const content = normalizeMessageContent(message ?? undefined)
  const messageType = getContentType(content)
  if (!content || !messageType) return
  if (content.protocolMessage) return readChange(content.protocolMessage)
  if (content.pinInChatMessage) return readPin(content)
  if (content.commentMessage) return readComment(content.commentMessage)
  const seal = findSeal(content)
  if (seal) return describeSealed(seal, messageType)
  const mediaType = getMediaType(content, messageType)
  const context = findContext(content, messageType)
  const menu = readMenu(content, messageType)
  const tap = readTap(content, messageType)
  return {
    messageType,
    type: chooseType(messageType, mediaType, menu),
    mediaType,
    text: menu ? getMenuText(menu) : (tap?.text ?? getText(content)),
    quoted: truncateId(context?.stanzaId ?? ''),
    ...readNamedPeople(context),
    reaction: truncateId(content.reactionMessage?.key?.id ?? ''),
    target: truncateId(content.pollUpdateMessage?.pollCreationMessageKey?.id ?? ''),
    content: {
      ...getTextFields(content, mediaType),
      ...getDetails(content),
      ...(menu && describeMenu(menu)),
      ...tap?.details,
      ...readContext(context),
    },
    ...(tap && { answer: { id: tap.id, text: tap.text } }),
    ...((isCut(content) || isCutContext(context) || (menu && isCutMenu(menu))) && { truncated: true }),
  }
}

function findContext(content: proto.IMessage, messageType: keyof proto.IMessage) {
  const part = content[messageType]
  return typeof part === 'object' && part && 'contextInfo' in part ? part.contextInfo : undefined
}

function chooseType(messageType: string, mediaType: string, menu: Menu | undefined): MessageType {
  if (mediaType) return 'media'
  return menu ? 'menu' : (otherTypes[messageType] ?? 'other')
}

/** Whether some of it is not in its form here; a placeholder stands for content that was too large, or is not for this device. */
function isCut(content: proto.IMessage): boolean {
  const poll = findPoll(content)
  const contacts = content.contactsArrayMessage?.contacts ?? []
  return (
    Boolean(content.placeholderMessage) ||
    contacts.length > MAX_LIST_ITEMS ||
    (poll ? isCutPoll(poll) : false)
  )
}

/** What it says is known when it is decrypted. `type`: the one that it then has, if it changes the message that it names. */
const describeSealed = ({ label, key }: Seal, messageType: string): MessageContent => {
  const target = truncateId(key.id ?? '')
  const isEdit = EDITS.includes(label)
  return {
    messageType,
    type: isEdit ? 'edit' : 'other',
    mediaType: '',
    text: '',
    quoted: '',
    reaction: '',
    target,
    content: isEdit ? {} : { target },
    sealed: true,
  }
}

const EDITS: SealLabel[] = ['Message Edit', 'Event Edit', 'Poll Edit']

/** A message that answers the one that it names. */
function readComment({
  message,
  targetMessageKey,
}: proto.Message.ICommentMessage): MessageContent | undefined {
  const comment = readContent(message)
  const target = truncateId(targetMessageKey?.id ?? '')
  return comment && { ...comment, quoted: target, content: { ...comment.content, target } }
}

function readChange(change: proto.Message.IProtocolMessage): MessageContent | undefined {
  const target = change.key?.id
  if (!target || (change.type !== REVOKE && change.type !== MESSAGE_EDIT)) return
  const edited = normalizeMessageContent(change.editedMessage ?? undefined)
  const editedType = getContentType(edited)
  return {
    ...(edited && editedType && readNamedPeople(findContext(edited, editedType))),
    messageType: 'protocolMessage',
    mediaType: '',
    quoted: '',
    reaction: '',
    content: edited?.eventMessage || findPoll(edited) ? getDetails(edited ?? {}) : {},
    type: change.type === REVOKE ? 'delete' : 'edit',
    text: edited ? getText(edited) : '',
    target: truncateId(target),
  }
}

/** `pinnedUntil` is 0 where it unpins the message, or where the sender does not say how long. */
function readPin({ pinInChatMessage, messageContextInfo }: proto.IMessage): MessageContent | undefined {
  const { key, type, senderTimestampMs } = pinInChatMessage ?? {}
  if (!key?.id) return
  const target = truncateId(key.id)
  const pinned = type === PIN_FOR_ALL
  const duration = pinned ? (messageContextInfo?.messageAddOnDurationInSecs ?? 0) * SECOND : 0
  const pinnedUntil = duration && Number(senderTimestampMs ?? 0) + duration
  return {
    messageType: 'pinInChatMessage',
    type: 'pin',
    mediaType: '',
    text: '',
    quoted: '',
    reaction: '',
    target,
    content: { target, pinned, pinnedUntil },
  }
}

/** The author of the message that a reaction, an edit, a pin or a deletion names, by the id that its sender used; named in groups only. */
export function findTargetAuthor(message: proto.IMessage | null | undefined): string {
  const content = normalizeMessageContent(message ?? undefined)
  const changed = content?.reactionMessage ?? content?.pinInChatMessage ?? content?.protocolMessage
  const seal = findSeal(content)
  const answered =
    content?.pollUpdateMessage?.pollCreationMessageKey ?? content?.commentMessage?.targetMessageKey
  return (changed?.key ?? seal?.key ?? answered)?.participant ?? ''
}

/** A voice note is `ptt`, another audio file is `audio`. */
function getMediaType(content: proto.IMessage, messageType: string): string {
  return content.audioMessage?.ptt ? 'ptt' : (mediaTypes[messageType] ?? '')
}

const getText = (content: proto.IMessage): string =>
  content.conversation ??
  content.extendedTextMessage?.text ??
  content.imageMessage?.caption ??
  (content.videoMessage ?? content.ptvMessage)?.caption ??
  content.documentMessage?.caption ??
  content.reactionMessage?.text ??
  content.contactMessage?.displayName ??
  content.contactsArrayMessage?.displayName ??
  content.locationMessage?.name ??
  content.eventMessage?.name ??
  getPollQuestion(content) ??
  content.liveLocationMessage?.caption ??
  ''

function getPollQuestion(content: proto.IMessage): string | undefined {
  const poll = findPoll(content)
  return poll && getQuestion(poll)
}

/** The text as clients of the dialect read it, in addition to `text`. */
function getTextFields(content: proto.IMessage, mediaType: string): Record<string, string> {
  const text = content.conversation ?? content.extendedTextMessage?.text
  if (text) return { text }
  const caption = mediaType && getText(content)
  return caption ? { caption } : {}
}

function getEventDetails(event: proto.Message.IEventMessage): Record<string, unknown> {
  const { description, startTime, endTime, location, joinLink, isCanceled } = event
  const { name = '', address = '', degreesLatitude, degreesLongitude } = location ?? {}
  return {
    description: description ?? '',
    startTime: Number(startTime ?? 0) * SECOND,
    ...(endTime && { endTime: Number(endTime) * SECOND }),
    ...(location && {
      location: { name, address, latitude: degreesLatitude ?? 0, longitude: degreesLongitude ?? 0 },
    }),
    ...(joinLink && { joinLink }),
    ...(isCanceled && { cancelled: true }),
  }
}

function getDetails(content: proto.IMessage): Record<string, unknown> {
  const place = content.locationMessage ?? content.liveLocationMessage
  if (place) {
    const { name = '', address = '' } = content.locationMessage ?? {}
    return { latitude: place.degreesLatitude ?? 0, longitude: place.degreesLongitude ?? 0, name, address }
  }
  const cards = content.contactMessage
    ? [content.contactMessage]
    : content.contactsArrayMessage?.contacts?.slice(0, MAX_LIST_ITEMS)
  if (cards) {
    return {
      contacts: cards.map(({ displayName, vcard }) => ({ name: displayName ?? '', vcard: vcard ?? '' })),
    }
  }
  if (content.eventMessage) return getEventDetails(content.eventMessage)
  const { backgroundArgb, font } = content.extendedTextMessage ?? {}
  if (backgroundArgb) return { backgroundColor: toHexColor(backgroundArgb), font: font ?? 0 }
  const poll = findPoll(content)
  if (poll) return { choices: listChoices(poll), selectableCount: poll.selectableOptionsCount ?? 0 }
  const file =
    content.imageMessage ??
    content.videoMessage ??
    content.ptvMessage ??
    content.audioMessage ??
    content.documentMessage ??
    content.stickerMessage
  if (!file) return {}
  const details: Record<string, unknown> = {
    mimetype: file.mimetype ?? '',
    fileLength: Number(file.fileLength ?? 0),
  }
  if (file.url) details.URL = file.url
  if ('viewOnce' in file && file.viewOnce) details.viewOnce = true
  // What may be seen once leaves no picture here.
  const thumbnail = !details.viewOnce && 'jpegThumbnail' in file ? file.jpegThumbnail : undefined
  if (thumbnail?.length && thumbnail.length <= MAX_THUMBNAIL_BYTES)
    details.JPEGThumbnail = Buffer.from(thumbnail).toString('base64')
  if ('fileName' in file && file.fileName) details.fileName = file.fileName
  if ('seconds' in file && file.seconds) details.seconds = file.seconds
  if ('pageCount' in file && file.pageCount) details.pageCount = file.pageCount
  if ('waveform' in file && file.waveform?.length)
    details.waveform = Buffer.from(file.waveform.subarray(0, MAX_WAVEFORM_VALUES)).toString('base64')
  if ('width' in file && file.width) Object.assign(details, { width: file.width, height: file.height ?? 0 })
  return details
}
