// What the library hands over, in the gateway's words: messages and what became of them.

import {
  getContentType,
  isJidBroadcast,
  isJidGroup,
  isJidNewsletter,
  normalizeMessageContent,
  proto,
  type WAMessage,
  type WAMessageKey,
} from 'baileys'
import type { NetworkMessage, Person, Progress } from '../driver.ts'
import { chat, person } from './ids.ts'

export interface Me {
  id: string
  lid?: string | undefined
}

const mediaTypes: Record<string, string> = {
  imageMessage: 'image',
  videoMessage: 'video',
  ptvMessage: 'video',
  audioMessage: 'audio',
  documentMessage: 'document',
  stickerMessage: 'sticker',
}

const otherTypes: Record<string, string> = {
  conversation: 'text',
  extendedTextMessage: 'text',
  locationMessage: 'location',
  contactMessage: 'contact',
  contactsArrayMessage: 'contact',
  reactionMessage: 'reaction',
}

/** Undefined for what is no message between people: status posts, channels, and the protocol's own. */
export function toMessage(info: WAMessage, me: Me): NetworkMessage | undefined {
  const { key } = info
  const content = normalizeMessageContent(info.message ?? undefined)
  const messageType = getContentType(content)
  if (!key.id || !key.remoteJid || !content || !messageType) return
  if (isJidBroadcast(key.remoteJid) || isJidNewsletter(key.remoteJid)) return
  if (messageType === 'protocolMessage' || info.category === 'peer') return

  const mediaType = mediaTypes[messageType] ?? ''
  const progress = key.fromMe ? toProgress(info.status) : undefined
  const part = content[messageType]
  const context = typeof part === 'object' && part && 'contextInfo' in part ? part.contextInfo : undefined
  return {
    messageid: key.id,
    chat: chatOf(key, me),
    sender: senderOf(key, me),
    senderName: key.fromMe ? '' : (info.pushName ?? ''),
    isGroup: isJidGroup(key.remoteJid) === true,
    fromMe: key.fromMe === true,
    at: toMilliseconds(info.messageTimestamp),
    messageType,
    type: mediaType ? 'media' : (otherTypes[messageType] ?? 'other'),
    mediaType,
    text: content.conversation ?? content.extendedTextMessage?.text ?? '',
    quoted: context?.stanzaId ?? '',
    reaction: content.reactionMessage?.key?.id ?? '',
    ...(progress && { progress }),
    wire: encodeMessage(content),
  }
}

export const encodeMessage = (content: proto.IMessage): Uint8Array<ArrayBuffer> =>
  new Uint8Array(proto.Message.encode(content).finish())

export const decodeMessage = (wire: Uint8Array): proto.IMessage => proto.Message.decode(wire)

/** On an own message the library's "alt" may be our own other id: that says nothing of the chat. */
export function chatOf(key: WAMessageKey, me: Me): Person {
  const alt = person(key.remoteJidAlt).id
  const own = [person(me.id).id, person(me.lid).id]
  return chat(key.remoteJid, key.fromMe && own.includes(alt) ? '' : alt)
}

function senderOf(key: WAMessageKey, me: Me): Person {
  if (key.fromMe) return person(me.id, me.lid)
  // In chats of two `participant` is the empty string.
  if (key.participant) return person(key.participant, key.participantAlt)
  return person(key.remoteJid, key.remoteJidAlt)
}

export function toProgress(status: proto.WebMessageInfo.Status | null | undefined): Progress | undefined {
  switch (status) {
    case proto.WebMessageInfo.Status.ERROR:
      return 'Failed'
    case proto.WebMessageInfo.Status.SERVER_ACK:
      return 'Sent'
    case proto.WebMessageInfo.Status.DELIVERY_ACK:
      return 'Delivered'
    case proto.WebMessageInfo.Status.READ:
      return 'Read'
    case proto.WebMessageInfo.Status.PLAYED:
      return 'Played'
    default:
      return undefined
  }
}

/** The network counts seconds, as a number or a 64-bit object. */
export function toMilliseconds(seconds: WAMessage['messageTimestamp']): number {
  const count = Number(seconds ?? 0)
  return count > 0 ? count * 1000 : Date.now()
}
