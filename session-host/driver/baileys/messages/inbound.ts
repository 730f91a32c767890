// Converts the library's messages and their progress into the driver's.

import {
  isJidBroadcast,
  isJidGroup,
  isJidNewsletter,
  proto,
  type WAMessage,
  type WAMessageKey,
} from 'baileys'
import { boundedName } from '../../../../shared/bounds.ts'
import { boundedId } from '../../../message-names.ts'
import type { MessageContent, NetworkMessage, Person, Progress } from '../../driver.ts'
import { chat, inward, person } from '../ids.ts'
import { toMilliseconds } from '../network-times.ts'
import { authorNamed, encodeMessage, read } from './content.ts'
import { shortenPoll } from './polls.ts'

export interface Me {
  id: string
  lid?: string | undefined
}

/** Undefined for status posts, channels, and messages of the protocol. */
export function toMessage(info: WAMessage, me: Me): NetworkMessage | undefined {
  const { key } = info
  if (!key.id || !key.remoteJid || info.category === 'peer') return
  if (isJidBroadcast(key.remoteJid) || isJidNewsletter(key.remoteJid)) return
  const said = read(info.message) ?? unread(info)
  if (!said) return

  const progress = key.fromMe ? toProgress(info.status) : undefined
  shortenPoll(info.message)
  return {
    ...said,
    messageid: boundedId(key.id),
    chat: chatOf(key, me),
    sender: senderOf(key, me),
    senderName: key.fromMe ? '' : boundedName(info.pushName ?? ''),
    isGroup: isJidGroup(key.remoteJid) === true,
    fromMe: key.fromMe === true,
    targetAuthor: inward(authorNamed(info.message)),
    at: toMilliseconds(info.messageTimestamp),
    ...(progress && { progress }),
    encoded: encodeMessage(info.message ?? {}),
  }
}

const { CIPHERTEXT } = proto.WebMessageInfo.StubType

/** An undecryptable message is a stub with the reason. */
function unread(info: WAMessage): MessageContent | undefined {
  if (info.messageStubType !== CIPHERTEXT || info.message) return
  return {
    ...{ messageType: '', mediaType: '', quoted: '', reaction: '', target: '', content: {} },
    type: 'undecryptable',
    text: boundedName(info.messageStubParameters?.[0] ?? ''),
  }
}

/** On an own message the library's "alt" may be our own other id, which is not the chat's. */
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
