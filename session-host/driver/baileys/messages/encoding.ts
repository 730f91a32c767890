// Encodes messages to send in the network's form.

import { randomBytes } from 'node:crypto'
import { type BinaryNode, getContentType, normalizeMessageContent, proto } from 'baileys'
import { networkId } from '../../../message-names.ts'
import type { ContentToSend, EncodedMessage, OwnKey, StoredMessage, TextLook } from '../../driver.ts'
import { outward } from '../ids.ts'
import { argbOf } from './colors.ts'
import { decodeMessage, encodeMessage, read } from './content.ts'
import { mediaMessage } from './media-message.ts'
import { pollIn, withoutDigests } from './polls.ts'

const { REVOKE, MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type

export function encode(content: ContentToSend): EncodedMessage | undefined {
  const message = messageOf(content)
  const said = message && read(message)
  return said && { encoded: encodeMessage(message), said }
}

/** Recipients derive the keys of reactions, edits and reports from it. */
const secret = () => ({ messageContextInfo: { messageSecret: randomBytes(32) } })

function messageOf(content: ContentToSend): proto.IMessage | undefined {
  switch (content.kind) {
    case 'text':
      return {
        extendedTextMessage: { text: content.text, contextInfo: contextOf(content), ...lookOf(content.look) },
        ...secret(),
      }
    case 'location': {
      const { latitude, longitude, name, address } = content
      const place = { degreesLatitude: latitude, degreesLongitude: longitude, name, address }
      return { locationMessage: { ...place, contextInfo: contextOf(content) }, ...secret() }
    }
    case 'poll': {
      const { text: name, choices, selectable: selectableOptionsCount } = content
      const options = choices.map((optionName) => ({ optionName }))
      const poll = { name, options, selectableOptionsCount, contextInfo: contextOf(content) }
      // For a poll with a single choice phones use version 3.
      return selectableOptionsCount === 1
        ? { pollCreationMessageV3: poll, ...secret() }
        : { pollCreationMessage: poll, ...secret() }
    }
    case 'contact': {
      const { displayName, vcard } = content
      return { contactMessage: { displayName, vcard, contextInfo: contextOf(content) }, ...secret() }
    }
    case 'reaction': {
      const { target, text, at } = content
      return { reactionMessage: { key: keyOf(target), text, senderTimestampMs: at } }
    }
    case 'delete':
      return { protocolMessage: { key: keyOf(content.target), type: REVOKE } }
    case 'edit': {
      const editedMessage = withText(decodeMessage(content.encoded), content.text)
      if (!editedMessage) return
      const key = keyOf(content.target)
      // Wrapped as the newest clients do, some of which take nothing else for an edit.
      const protocolMessage = { key, type: MESSAGE_EDIT, editedMessage, timestampMs: content.at }
      return { editedMessage: { message: { protocolMessage } } }
    }
    case 'media':
      return { ...mediaMessage(content.file, content.stored, contextOf(content)), ...secret() }
    case 'forward':
      return forwarded(withoutDigests(decodeMessage(content.encoded)))
  }
}

const WHITE = 0xff_ff_ff_ff

const lookOf = (look: TextLook | undefined): proto.Message.IExtendedTextMessage =>
  look ? { backgroundArgb: argbOf(look.background), textArgb: WHITE, font: look.font } : {}

const keyOf = ({ messageid, fromMe, chatid, sender, isGroup }: OwnKey): proto.IMessageKey => ({
  remoteJid: outward(chatid),
  fromMe,
  id: networkId(messageid),
  ...(isGroup && !fromMe && { participant: outward(sender) }),
})

function contextOf({
  mentions,
  quoted,
  forwarded,
}: {
  mentions?: string[]
  quoted?: StoredMessage
  forwarded?: boolean
}): proto.IContextInfo {
  return {
    ...(forwarded && { isForwarded: true, forwardingScore: 1 }),
    ...(mentions?.length && { mentionedJid: mentions.map(outward) }),
    ...(quoted && {
      stanzaId: networkId(quoted.messageid),
      participant: outward(quoted.sender),
      quotedMessage: withoutContext(withoutDigests(decodeMessage(quoted.encoded))),
    }),
  }
}

/** A quote does not carry the quotes inside it. */
function withoutContext(message: proto.IMessage): proto.IMessage {
  const content = normalizeMessageContent(message)
  const type = getContentType(content)
  const part = type && content?.[type]
  if (!content || !type || !part) return {}
  if (typeof part === 'object' && 'contextInfo' in part)
    return { [type]: { ...part, contextInfo: undefined } }
  return { [type]: part }
}

/** The same message with another text or caption; undefined for one that has neither. */
function withText(message: proto.IMessage, text: string): proto.IMessage | undefined {
  const content = normalizeMessageContent(message)
  if (content?.conversation) return { conversation: text }
  if (content?.extendedTextMessage) return { extendedTextMessage: { ...content.extendedTextMessage, text } }
  for (const type of ['imageMessage', 'videoMessage', 'documentMessage'] as const) {
    if (content?.[type]) return { [type]: { ...content[type], caption: text } }
  }
  return undefined
}

/** Undefined for content that cannot be forwarded. */
function forwarded(message: proto.IMessage): proto.IMessage | undefined {
  const content = normalizeMessageContent(message)
  const type = getContentType(content)
  const part = type && content?.[type]
  if (!part || type === 'reactionMessage' || type === 'protocolMessage') return
  if (type === 'conversation') return forwarded({ extendedTextMessage: { text: content.conversation ?? '' } })
  if (typeof part !== 'object') return
  const before = 'contextInfo' in part ? (part.contextInfo?.forwardingScore ?? 0) : 0
  return {
    [type]: { ...part, contextInfo: { isForwarded: true, forwardingScore: before + 1 } },
    ...secret(),
  }
}

/** The envelope names edits and deletions, because the server handles them differently. */
export function envelopeOf(message: proto.IMessage): Record<string, string> {
  const content = normalizeMessageContent(message)
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
export function stanzaType(message: proto.IMessage): string {
  const content = normalizeMessageContent(message) ?? {}
  if (content.reactionMessage) return 'reaction'
  if (pollIn(content)) return 'poll'
  return files.some((kind) => content[kind]) ? 'media' : 'text'
}

const files = [
  ...(['imageMessage', 'videoMessage', 'ptvMessage', 'audioMessage'] as const),
  ...(['documentMessage', 'stickerMessage'] as const),
]

/** A poll is also marked in a node beside the message. */
export const nodesBeside = (message: proto.IMessage): BinaryNode[] =>
  pollIn(message) ? [{ tag: 'meta', attrs: { polltype: 'creation' } }] : []
