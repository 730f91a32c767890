// Reads a decrypted message into the form of the control interface.

import { proto } from '../codec/protobuf.ts'
import type { MediaKind } from '../media/encrypt-file.ts'
import type { ChatTarget } from '../network/message-chats.ts'
import { MAX_POLL_CHOICES, MIN_POLL_CHOICES } from '../network-limits.ts'
import type { Account } from '../store/account-table.ts'
import type { Poll } from '../store/poll-table.ts'
import { describeMenu, type MenuForm, type Option } from './describe-menu.ts'
import { type DescribedMentions, describeMentions } from './mentions.ts'

export type Content = {
  type: string
  text: string
  caption?: string
  target?: string
  viewOnce?: true
  /** A round video note. */
  ptv?: true
  /** Of an album: how many files follow. */
  images?: number
  videos?: number
  /** Of a file: the id of the album that it is a part of. */
  album?: string
  /** What the message says of its file. */
  file?: FileFacts
  /** Of a text that is a status post: its colour as `#rrggbb`, and the number of its font. */
  background?: string
  font?: number
  /** Of a text with a preview of its link. */
  preview?: { link: string; title: string; description: string; thumbnail: number }
  choices?: string[]
  /** The number of choices allowed; 0 for all. */
  selectable?: number
  /** The form of a menu, and what can be tapped in it. */
  menu?: MenuForm
  options?: Option[]
  cards?: { text: string; picture: boolean }[]
  /** Of a pin: for how many days, 0 to unpin. */
  days?: number
  /** Of a `timer`: after how many seconds messages of the chat disappear from now on. */
  seconds?: number
}
export interface FileFacts {
  mimetype: string
  voice?: true
  seconds?: number
  /** Loudness, as base64. */
  waveform?: string
  width?: number
  height?: number
  pages?: number
  /** Bytes of the picture that is shown before the file is loaded. */
  thumbnail?: number
  animated?: true
}

/** `quoted`: the id of the quoted message; `forwarded`: shown as forwarded; `disappears`: after so many seconds. */
export type MessageContext = { quoted?: string; forwarded?: true; disappears?: number } & DescribedMentions

const SECRET = 32
const MEDIA = ['image', 'video', 'audio', 'document', 'sticker'] as const satisfies MediaKind[]

/** Undefined for messages between devices that show nothing to people. */
export function describeContent(wrapped: proto.IMessage): Content | undefined {
  const message = unwrapMessage(wrapped)
  const { conversation, extendedTextMessage, reactionMessage, protocolMessage } = message
  if (protocolMessage) return describeChange(protocolMessage)
  if (message.pinInChatMessage) return describePin(message)
  if (conversation) return { type: 'text', text: conversation }
  if (extendedTextMessage) return describeText(extendedTextMessage)
  const poll = findPoll(message)
  if (poll) return { type: 'poll', text: poll.name, choices: poll.choices, selectable: poll.selectable }
  const menu = describeMenu(message)
  if (menu) return menu
  if (reactionMessage) return describeTargeted('reaction', reactionMessage.text, reactionMessage.key)
  const { locationMessage, liveLocationMessage, contactMessage, contactsArrayMessage } = message
  const place = locationMessage?.name ?? liveLocationMessage?.caption
  if (locationMessage ?? liveLocationMessage) return { type: 'location', text: place ?? '' }
  if (message.albumMessage) {
    const { expectedImageCount, expectedVideoCount } = message.albumMessage
    return { type: 'album', text: '', images: expectedImageCount ?? 0, videos: expectedVideoCount ?? 0 }
  }
  if (message.eventMessage) return { type: 'event', text: message.eventMessage.name ?? '' }
  const comment = message.commentMessage
  if (comment) return describeTargeted('comment', comment.message?.conversation, comment.targetMessageKey)
  const contact = contactMessage ?? contactsArrayMessage
  if (contact) return { type: 'contact', text: contact.displayName ?? '' }
  return describeMedia(message)
}

function describeText(message: proto.Message.IExtendedTextMessage): Content {
  const { text, backgroundArgb, font, matchedText, title, description, jpegThumbnail } = message
  const colour = ((backgroundArgb ?? 0) & 0xff_ff_ff).toString(16).padStart(6, '0')
  // A phone shows it only for a link that is in the text.
  const isShown = matchedText && title && text?.includes(matchedText)
  const preview = isShown && {
    link: matchedText,
    title,
    description: description ?? '',
    thumbnail: jpegThumbnail?.length ?? 0,
  }
  const content = { type: 'text', text: text ?? '', ...(preview && { preview }) }
  if (typeof backgroundArgb !== 'number' || backgroundArgb === 0) return content
  return { ...content, background: `#${colour}`, font: font ?? 0 }
}

/** Undefined when there is none, or none that a phone would show. */
export function findPoll(wrapped: proto.IMessage): Poll | undefined {
  const message = unwrapMessage(wrapped)
  const poll =
    message.pollCreationMessage ?? message.pollCreationMessageV2 ?? message.pollCreationMessageV3 ?? undefined
  // An envelope for devices may carry it in place of the message.
  const secret = (message.messageContextInfo ?? wrapped.messageContextInfo)?.messageSecret
  if (!poll?.name || secret?.length !== SECRET) return undefined
  const choices = (poll.options ?? []).map(({ optionName }) => optionName ?? '')
  const selectable = poll.selectableOptionsCount ?? 0
  const fit = choices.length >= MIN_POLL_CHOICES && choices.length <= MAX_POLL_CHOICES
  const distinct = new Set(choices).size === choices.length && !choices.includes('')
  if (!fit || !distinct || selectable > choices.length) return undefined
  return { name: poll.name, choices, selectable, secret: Buffer.from(secret) }
}

function describeMedia(message: proto.IMessage): Content | undefined {
  const found = findAttachment(message)
  if (found === undefined) return undefined
  const { kind: type, file } = found
  const caption = 'caption' in file ? file.caption : undefined
  const note = unwrapMessage(message).ptvMessage ? ({ ptv: true } as const) : {}
  const once = 'viewOnce' in file && file.viewOnce ? ({ viewOnce: true } as const) : {}
  const part = { ...once, ...note, ...describePart(message) }
  return { type, text: '', ...(caption && { caption }), ...part, file: describeFile(file) }
}

function describePart({ messageContextInfo }: proto.IMessage): { album?: string } {
  const { associationType, parentMessageKey } = messageContextInfo?.messageAssociation ?? {}
  const isPart = associationType === proto.MessageAssociation.AssociationType.MEDIA_ALBUM
  return isPart && parentMessageKey?.id ? { album: parentMessageKey.id } : {}
}

export function describeFile(file: File): FileFacts {
  const facts: FileFacts = { mimetype: file.mimetype ?? '' }
  if ('ptt' in file && file.ptt) facts.voice = true
  if ('seconds' in file && file.seconds) facts.seconds = file.seconds
  if ('waveform' in file && file.waveform?.length)
    facts.waveform = Buffer.from(file.waveform).toString('base64')
  if ('width' in file && file.width && file.height)
    Object.assign(facts, { width: file.width, height: file.height })
  if ('pageCount' in file && file.pageCount) facts.pages = file.pageCount
  if ('jpegThumbnail' in file && file.jpegThumbnail?.length) facts.thumbnail = file.jpegThumbnail.length
  if ('isAnimated' in file && file.isAnimated) facts.animated = true
  return facts
}

type File =
  | proto.Message.IImageMessage
  | proto.Message.IVideoMessage
  | proto.Message.IAudioMessage
  | proto.Message.IDocumentMessage
  | proto.Message.IStickerMessage

/** A message's description of its file. */
export function findAttachment(wrapped: proto.IMessage): { kind: MediaKind; file: File } | undefined {
  const message = unwrapMessage(wrapped)
  if (message.ptvMessage) return { kind: 'video', file: message.ptvMessage }
  for (const kind of MEDIA) {
    const file = message[`${kind}Message`]
    if (file) return { kind, file }
  }
  return undefined
}

function describeChange(change: proto.Message.IProtocolMessage): Content | undefined {
  const { type, key, editedMessage } = change
  const { Type } = proto.Message.ProtocolMessage
  if (type === Type.REVOKE) return describeTargeted('revoke', '', key)
  if (type === Type.EPHEMERAL_SETTING)
    return { type: 'timer', text: '', seconds: change.ephemeralExpiration ?? 0 }
  if (type !== Type.MESSAGE_EDIT) return undefined
  const now = editedMessage && describeContent(editedMessage)
  return describeTargeted('edit', now?.caption ?? now?.text, key)
}

const DAY_SECONDS = 86_400

function describePin({ pinInChatMessage, messageContextInfo }: proto.IMessage): Content {
  const pinned = pinInChatMessage?.type === proto.Message.PinInChatMessage.Type.PIN_FOR_ALL
  const days = pinned ? (messageContextInfo?.messageAddOnDurationInSecs ?? 0) / DAY_SECONDS : 0
  return { ...describeTargeted('pin', '', pinInChatMessage?.key), days }
}

function describeTargeted(
  type: string,
  text: string | null | undefined,
  key: proto.IMessageKey | null | undefined,
) {
  return { type, text: text ?? '', target: key?.id ?? '' }
}

/** The context of a message; messages that only change another one have none. */
export function describeContext(wrapped: proto.IMessage, phone: Account, chat: ChatTarget): MessageContext {
  for (const part of Object.values(unwrapMessage(wrapped))) {
    const context: proto.IContextInfo | undefined = part?.contextInfo
    if (!context) continue
    const { stanzaId, isForwarded, expiration } = context
    return {
      ...(stanzaId && { quoted: stanzaId }),
      ...describeMentions(phone, chat, context),
      ...(isForwarded && { forwarded: true }),
      ...(expiration && { disappears: expiration }),
    }
  }
  return {}
}

/** Some messages are inside another one that only defines how to show them. */
function unwrapMessage(message: proto.IMessage): proto.IMessage {
  const inner =
    message.ephemeralMessage?.message ??
    message.viewOnceMessage?.message ??
    message.viewOnceMessageV2?.message ??
    message.documentWithCaptionMessage?.message ??
    message.editedMessage?.message
  return inner ? unwrapMessage(inner) : message
}
