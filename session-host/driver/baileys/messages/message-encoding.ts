// Encodes messages to send in the network's form.

import { randomBytes } from 'node:crypto'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { type BinaryNode, proto } from 'baileys'
import type {
  ChatTimer,
  ContentToSend,
  EncodedMessage,
  EventToSend,
  LinkPreviewToSend,
  OwnKey,
  StoredMessage,
  TextLook,
} from '../../driver.ts'
import { toNetworkId } from '../../message-names.ts'
import { toNetworkJid } from '../ids.ts'
import { toArgb } from './colors.ts'
import { findField } from './kinds/find-kind.ts'
import { buildMediaMessage } from './media-message.ts'
import { buildMenu, flowMark } from './menu-message.ts'
import { decodeMessage, encodeMessage, readContent } from './message-content.ts'
import { replaceText } from './message-edits.ts'
import { unwrap } from './message-wrappers.ts'
import { findPoll, removeDigests } from './poll-content.ts'

const { REVOKE, MESSAGE_EDIT, EPHEMERAL_SETTING } = proto.Message.ProtocolMessage.Type
const { MEDIA_ALBUM } = proto.MessageAssociation.AssociationType
const { NONE: NO_PLAYER } = proto.Message.ExtendedTextMessage.PreviewType
const { PIN_FOR_ALL, UNPIN_FOR_ALL } = proto.Message.PinInChatMessage.Type

export function encodeContent(content: ContentToSend, timer?: ChatTimer): EncodedMessage | undefined {
  const built = buildMessage(content)
  const message = built && timer ? addTimer(built, timer) : built
  const decoded = message && readContent(message)
  if (!decoded) return undefined
  if (content.kind === 'menu' && content.menu.asText) return encodeMenuText(content, decoded, timer)
  // Nothing tells whether a phone shows it.
  if (content.kind === 'menu') Object.assign(decoded.content, { shown: 'unknown' })
  return { encoded: encodeMessage(message), decoded }
}

/** A text for the network, and a menu here, so that a number answers it. */
function encodeMenuText(
  { menu: _, ...about }: Extract<ContentToSend, { kind: 'menu' }>,
  decoded: EncodedMessage['decoded'],
  timer?: ChatTimer,
): EncodedMessage | undefined {
  const text = encodeContent({ ...about, kind: 'text', text: decoded.text }, timer)
  if (!text) return undefined
  const { messageType } = text.decoded
  return { ...text, decoded: { ...decoded, messageType, content: { ...decoded.content, shown: 'text' } } }
}

/** Recipients derive the keys of reactions, edits and reports from it. */
const createSecret = () => ({ messageContextInfo: { messageSecret: randomBytes(32) } })

function buildMessage(content: ContentToSend): proto.IMessage | undefined {
  switch (content.kind) {
    case 'text':
      return {
        extendedTextMessage: {
          text: content.text,
          contextInfo: buildContext(content),
          ...buildLook(content.look),
          ...buildPreview(content.preview),
        },
        ...createSecret(),
      }
    case 'location': {
      const { latitude, longitude, name, address } = content
      const place = { degreesLatitude: latitude, degreesLongitude: longitude, name, address }
      return { locationMessage: { ...place, contextInfo: buildContext(content) }, ...createSecret() }
    }
    case 'event':
      return { eventMessage: buildEvent(content.event, buildContext(content)), ...createSecret() }
    case 'poll':
      return { ...buildPoll(content), ...createSecret() }
    case 'menu':
      return { interactiveMessage: buildMenu(content.menu, buildContext(content)), ...createSecret() }
    case 'contact':
      return { contactMessage: buildCard(content), ...createSecret() }
    case 'reaction': {
      const { target, text, at } = content
      return { reactionMessage: { key: toMessageKey(target), text, senderTimestampMs: at } }
    }
    case 'delete':
      return { protocolMessage: { key: toMessageKey(content.target), type: REVOKE } }
    case 'pin': {
      const { target, seconds, at } = content
      const type = seconds > 0 ? PIN_FOR_ALL : UNPIN_FOR_ALL
      return {
        pinInChatMessage: { key: toMessageKey(target), type, senderTimestampMs: at },
        messageContextInfo: { messageAddOnDurationInSecs: seconds },
      }
    }
    case 'timer':
      return buildTimer(content)
    case 'edit': {
      const editedMessage = replaceText(decodeMessage(content.encoded), content.text)
      if (!editedMessage) return
      const key = toMessageKey(content.target)
      // Wrapped as the newest clients do, some of which accept no other form of an edit.
      const protocolMessage = { key, type: MESSAGE_EDIT, editedMessage, timestampMs: content.at }
      return { editedMessage: { message: { protocolMessage } } }
    }
    case 'album':
      return { albumMessage: buildAlbum(content), ...createSecret() }
    case 'media':
      return buildFile(content)
    case 'forward':
      return toForwardedMessage(removeDigests(decodeMessage(content.encoded)))
  }
}

const buildAlbum = (content: Extract<ContentToSend, { kind: 'album' }>): proto.Message.IAlbumMessage => ({
  expectedImageCount: content.images,
  expectedVideoCount: content.videos,
  contextInfo: buildContext(content),
})

function buildFile(content: Extract<ContentToSend, { kind: 'media' }>): proto.IMessage {
  const message = buildMediaMessage(content.file, content.stored, buildContext(content))
  const { messageContextInfo } = createSecret()
  return { ...message, messageContextInfo: { ...messageContextInfo, ...buildPart(content.album) } }
}

const buildPart = (album: OwnKey | undefined): proto.IMessageContextInfo =>
  album ? { messageAssociation: { associationType: MEDIA_ALBUM, parentMessageKey: toMessageKey(album) } } : {}

const buildCard = (content: Extract<ContentToSend, { kind: 'contact' }>): proto.Message.IContactMessage => {
  const { displayName, vcard } = content
  return { displayName, vcard, contextInfo: buildContext(content) }
}

function buildPoll(content: Extract<ContentToSend, { kind: 'poll' }>): proto.IMessage {
  const { text: name, choices, selectable: selectableOptionsCount } = content
  const options = choices.map((optionName) => ({ optionName }))
  const poll = { name, options, selectableOptionsCount, contextInfo: buildContext(content) }
  // For a poll with a single choice phones use version 3.
  return selectableOptionsCount === 1 ? { pollCreationMessageV3: poll } : { pollCreationMessage: poll }
}

/** The network counts seconds. */
function buildEvent(event: EventToSend, contextInfo: proto.IContextInfo): proto.Message.IEventMessage {
  const { name, description, startTime, endTime, locationName, address, joinLink, cancelled } = event
  const hasPlace = locationName !== '' || address !== ''
  return {
    name,
    startTime: Math.floor(startTime / SECOND),
    isCanceled: cancelled,
    ...(description && { description }),
    ...(endTime !== undefined && { endTime: Math.floor(endTime / SECOND) }),
    ...(hasPlace && { location: { name: locationName, address } }),
    ...(joinLink && { joinLink }),
    contextInfo,
  }
}

const buildTimer = ({ seconds, at }: { seconds: number; at: number }): proto.IMessage => ({
  protocolMessage: {
    type: EPHEMERAL_SETTING,
    ephemeralExpiration: seconds,
    ephemeralSettingTimestamp: Math.floor(at / SECOND),
  },
})

/** In each message of such a chat, where its recipients look for it: those without a context only change or answer another one. */
function addTimer(message: proto.IMessage, { seconds, setAt }: ChatTimer): proto.IMessage {
  const { viewOnceMessage } = message
  if (viewOnceMessage?.message)
    return { ...message, viewOnceMessage: { message: addTimer(viewOnceMessage.message, { seconds, setAt }) } }
  const type = findField(message)
  const part = type && message[type]
  if (!type || typeof part !== 'object' || !part || !('contextInfo' in part)) return message
  const contextInfo = {
    ...part.contextInfo,
    expiration: seconds,
    ...(setAt > 0 && { ephemeralSettingTimestamp: Math.floor(setAt / SECOND) }),
  }
  return { ...message, [type]: { ...part, contextInfo } }
}

const WHITE = 0xff_ff_ff_ff

const buildLook = (look: TextLook | undefined): proto.Message.IExtendedTextMessage =>
  look ? { backgroundArgb: toArgb(look.background), textArgb: WHITE, font: look.font } : {}

function buildPreview(preview: LinkPreviewToSend | undefined): proto.Message.IExtendedTextMessage {
  if (!preview) return {}
  const { matchedText, title, description, thumbnail } = preview
  return {
    matchedText,
    title,
    ...(description && { description }),
    ...(thumbnail && { jpegThumbnail: thumbnail }),
    previewType: NO_PLAYER,
  }
}

const toMessageKey = ({ messageid, fromMe, chatid, sender, isGroup }: OwnKey): proto.IMessageKey => ({
  remoteJid: toNetworkJid(chatid),
  fromMe,
  id: toNetworkId(messageid),
  ...(isGroup && !fromMe && { participant: toNetworkJid(sender) }),
})

function buildContext({
  mentions,
  mentionsAll,
  quoted,
  forwarded,
}: {
  mentions?: string[]
  mentionsAll?: boolean
  quoted?: StoredMessage
  forwarded?: boolean
}): proto.IContextInfo {
  return {
    ...(forwarded && { isForwarded: true, forwardingScore: 1 }),
    ...(mentions?.length && { mentionedJid: mentions.map(toNetworkJid) }),
    ...(mentionsAll && { nonJidMentions: 1 }),
    ...(quoted && {
      stanzaId: toNetworkId(quoted.messageid),
      participant: toNetworkJid(quoted.sender),
      quotedMessage: removeContext(removeDigests(decodeMessage(quoted.encoded))),
    }),
  }
}

/** A quote does not carry the quotes inside it. */
function removeContext(message: proto.IMessage): proto.IMessage {
  const content = unwrap(message)
  const type = findField(content)
  const part = type && content?.[type]
  if (!content || !type || !part) return {}
  if (typeof part === 'object' && 'contextInfo' in part)
    return { [type]: { ...part, contextInfo: undefined } }
  return { [type]: part }
}

/** Undefined for content that cannot be forwarded. */
function toForwardedMessage(message: proto.IMessage): proto.IMessage | undefined {
  const content = unwrap(message)
  const type = findField(content)
  const part = type && content?.[type]
  if (!part || type === 'reactionMessage' || type === 'protocolMessage') return
  if (type === 'conversation')
    return toForwardedMessage({ extendedTextMessage: { text: content.conversation ?? '' } })
  if (typeof part !== 'object') return
  const before = 'contextInfo' in part ? (part.contextInfo?.forwardingScore ?? 0) : 0
  return {
    [type]: { ...part, contextInfo: { isForwarded: true, forwardingScore: before + 1 } },
    ...createSecret(),
  }
}

/** The envelope names edits, pins and deletions, because the server handles them differently. */
export function getEnvelopeAttributes(message: proto.IMessage): Record<string, string> {
  const content = unwrap(message)
  if (content?.pinInChatMessage) return { edit: '2' }
  switch (content?.protocolMessage?.type) {
    case MESSAGE_EDIT:
      return { edit: '1' }
    case REVOKE:
      return { edit: content.protocolMessage.key?.fromMe ? '7' : '8' }
    default:
      return content?.reactionMessage?.text === '' ? { edit: '7' } : {}
  }
}

/** The kind of a message that the envelope names. */
export function getStanzaType(message: proto.IMessage): string {
  const content = unwrap(message) ?? {}
  if (content.reactionMessage) return 'reaction'
  if (findPoll(content)) return 'poll'
  return fileMessages.some((kind) => content[kind]) ? 'media' : 'text'
}

const fileMessages = [
  ...(['imageMessage', 'videoMessage', 'ptvMessage', 'audioMessage'] as const),
  ...(['documentMessage', 'stickerMessage'] as const),
]

/** A poll is also marked in a second node, and so is a native flow. */
export const buildMetaNodes = (message: proto.IMessage): BinaryNode[] =>
  findPoll(message) ? [{ tag: 'meta', attrs: { polltype: 'creation' } }] : buildFlowMarks(message)

export const buildFlowMarks = (message: proto.IMessage): BinaryNode[] =>
  unwrap(message)?.interactiveMessage ? [flowMark] : []
