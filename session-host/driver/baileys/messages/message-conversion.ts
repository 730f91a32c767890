// Converts the library's messages and their progress into the driver's.

import { DAY, SECOND } from '@msgnet/shared/date-time.ts'
import { truncateName } from '@msgnet/shared/truncation.ts'
import {
  isJidBroadcast,
  isJidGroup,
  isJidNewsletter,
  isJidStatusBroadcast,
  proto,
  type WAMessage,
  type WAMessageKey,
} from 'baileys'
import type { MessageContent, NetworkMessage, Person, Progress } from '../../driver.ts'
import { truncateId } from '../../message-names.ts'
import { toChat, toGatewayJid, toPerson } from '../ids.ts'
import { toMilliseconds } from '../network-times.ts'
import { encodeMessage, findTargetAuthor, readContent } from './message-content.ts'
import { shortenPoll } from './poll-content.ts'

/** After that a status post is shown nowhere any more. */
const POST_SECONDS = DAY / SECOND

export interface OwnIds {
  id: string
  lid?: string | undefined
}

/** Undefined for channels and lists of recipients, messages of the protocol, and status posts that cannot be read. */
export function toNetworkMessage(info: WAMessage, me: OwnIds): NetworkMessage | undefined {
  const key = { ...info.key, fromMe: isOwn(info.key, me) }
  if (!key.id || !key.remoteJid || info.category === 'peer') return
  const isPost = isJidStatusBroadcast(key.remoteJid)
  if ((isJidBroadcast(key.remoteJid) && !isPost) || isJidNewsletter(key.remoteJid)) return
  const content = readContent(info.message) ?? (isPost ? undefined : readUnreadable(info))
  if (!content) return
  if (content.content.shared === 'phoneNumber') content.content.phoneNumber = findSender(key, me).pn

  const progress = key.fromMe ? toProgress(info.status) : undefined
  shortenPoll(info.message)
  return {
    ...content,
    ...(isPost && { timer: { seconds: POST_SECONDS, setAt: 0 } }),
    messageid: truncateId(key.id),
    chat: findChat(key, me),
    sender: findSender(key, me),
    senderName: key.fromMe ? '' : truncateName(info.pushName ?? ''),
    isGroup: isJidGroup(key.remoteJid) === true,
    fromMe: key.fromMe,
    targetAuthor: toGatewayJid(findTargetAuthor(info.message)),
    at: toMilliseconds(info.messageTimestamp),
    ...(progress && { progress }),
    encoded: encodeMessage(info.message ?? {}),
  }
}

const readUnreadable = (info: WAMessage) => readViewOnce(info) ?? readUndecryptable(info)

const { CIPHERTEXT } = proto.WebMessageInfo.StubType

/** The network sends a companion only a notice of what may be seen once: the phone alone gets the file. */
function readViewOnce(info: WAMessage): MessageContent | undefined {
  if (info.message || !('isViewOnce' in info.key && info.key.isViewOnce)) return
  return {
    messageType: 'viewOnceMessage',
    mediaType: '',
    text: '',
    quoted: '',
    reaction: '',
    target: '',
    content: { viewOnce: true },
    type: 'other',
  }
}

/** An undecryptable message is a stub with the reason. */
function readUndecryptable(info: WAMessage): MessageContent | undefined {
  if (info.messageStubType !== CIPHERTEXT || info.message) return
  return {
    messageType: '',
    mediaType: '',
    quoted: '',
    reaction: '',
    target: '',
    content: {},
    type: 'undecryptable',
    text: truncateName(info.messageStubParameters?.[0] ?? ''),
  }
}

/** On an own message the library's "alt" may be our own other id, which is not the chat's. */
export function findChat(key: WAMessageKey, me: OwnIds): Person {
  const alt = toPerson(key.remoteJidAlt).id
  const own = [toPerson(me.id).id, toPerson(me.lid).id]
  const chat = toChat(key.remoteJid, key.fromMe && own.includes(alt) ? '' : alt)
  return nameUser(chat, key.remoteJidUsername)
}

/** Who changes a group that is addressed by LID is compared by the library with our number only. */
function isOwn({ fromMe, participant }: WAMessageKey, me: OwnIds): boolean {
  const author = toPerson(participant).id
  return fromMe === true || (author !== '' && [me.id, me.lid].some((own) => toPerson(own).id === author))
}

export function findSender(key: WAMessageKey, me: OwnIds): Person {
  if (key.fromMe) return toPerson(me.id, me.lid)
  // In chats of two `participant` is the empty string. For status posts the library has the author's other id beside that of the chat.
  const other = isJidStatusBroadcast(key.remoteJid ?? '') ? key.remoteJidAlt : key.participantAlt
  if (key.participant) return nameUser(toPerson(key.participant, other), key.participantUsername)
  return nameUser(toPerson(key.remoteJid, key.remoteJidAlt), key.remoteJidUsername)
}

const nameUser = (person: Person, username: string | undefined): Person =>
  username ? { ...person, username: truncateName(username) } : person

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
