// Messages that change another one or a setting of the chat, open or sealed.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { proto } from 'baileys'
import { truncateId } from '../../../message-names.ts'
import { toMilliseconds } from '../../network-times.ts'
import { readNamedPeople } from '../message-context.ts'
import { findSeal, type SealLabel } from '../message-seals.ts'
import { unwrap } from '../message-wrappers.ts'
import { findPoll } from '../poll-content.ts'
import { findContext } from './find-kind.ts'
import {
  type KindReader,
  type KindTable,
  limitWords,
  type ReadInner,
  type Reading,
  readTarget,
} from './kind-reading.ts'

const { Type } = proto.Message.ProtocolMessage
const { PIN_FOR_ALL } = proto.Message.PinInChatMessage.Type
const { KEEP_FOR_ALL } = proto.KeepType
const EDITS: SealLabel[] = ['Message Edit', 'Event Edit', 'Poll Edit']

function readProtocol({ protocolMessage }: proto.IMessage, readInner: ReadInner): Reading | 'protocol' {
  const { type, key, limitSharing, memberLabel } = protocolMessage ?? {}
  switch (type) {
    case Type.REVOKE:
    case Type.MESSAGE_EDIT:
      return key?.id ? readChange(protocolMessage ?? {}, key.id, readInner) : 'protocol'
    case Type.EPHEMERAL_SETTING:
      return readSetting(protocolMessage ?? {})
    case Type.LIMIT_SHARING:
      return { type: 'other', content: { sharingLimited: limitSharing?.sharingLimited === true } }
    case Type.GROUP_MEMBER_LABEL_CHANGE:
      return { type: 'other', content: { label: limitWords(memberLabel?.label) } }
    case Type.STATUS_MENTION_MESSAGE:
      return { type: 'other', content: { statusMention: true, ...readTarget(key).content } }
    case Type.SHARE_PHONE_NUMBER:
      return { type: 'other', content: { shared: 'phoneNumber' } }
    default:
      return 'protocol'
  }
}

function readSetting({
  ephemeralExpiration,
  ephemeralSettingTimestamp,
}: proto.Message.IProtocolMessage): Reading {
  const seconds = ephemeralExpiration ?? 0
  const setAt = ephemeralSettingTimestamp ? toMilliseconds(ephemeralSettingTimestamp) : 0
  return { type: 'timer', content: { seconds }, timer: { seconds, setAt } }
}

function readChange(
  { type, editedMessage }: proto.Message.IProtocolMessage,
  target: string,
  readInner: ReadInner,
): Reading {
  if (type === Type.REVOKE) return { type: 'delete', target: truncateId(target) }
  const edited = unwrap(editedMessage)
  const words = readInner(editedMessage)
  const isStructured = edited?.eventMessage || findPoll(edited)
  return {
    ...(edited && readNamedPeople(findContext(edited))),
    ...(words?.timer && { timer: words.timer }),
    type: 'edit',
    text: words?.text ?? '',
    target: truncateId(target),
    content: isStructured ? (words?.content ?? {}) : {},
  }
}

/** `pinnedUntil` is 0 where it unpins the message, or where the sender does not say how long. */
function readPin({ pinInChatMessage, messageContextInfo }: proto.IMessage): Reading | 'protocol' {
  const { key, type, senderTimestampMs } = pinInChatMessage ?? {}
  const { target } = readTarget(key)
  if (!target) return 'protocol'
  const pinned = type === PIN_FOR_ALL
  const duration = pinned ? (messageContextInfo?.messageAddOnDurationInSecs ?? 0) * SECOND : 0
  const pinnedUntil = duration && Number(senderTimestampMs ?? 0) + duration
  return { type: 'pin', target, content: { target, pinned, pinnedUntil } }
}

/** In a chat of disappearing messages, one of them stays. */
function readKeep({ keepInChatMessage }: proto.IMessage): Reading | 'protocol' {
  const { target } = readTarget(keepInChatMessage?.key)
  const kept = keepInChatMessage?.keepType === KEEP_FOR_ALL
  return target ? { type: 'keep', target, content: { target, kept } } : 'protocol'
}

/** What it says is known when it is decrypted. `type`: the one that it then has, if it changes the message that it names. */
const readSealed: KindReader = (content) => {
  const seal = findSeal(content)
  if (!seal) return undefined
  const target = truncateId(seal.key.id ?? '')
  const isEdit = EDITS.includes(seal.label)
  return { type: isEdit ? 'edit' : 'other', target, content: isEdit ? {} : { target }, sealed: true }
}

export const changeKinds = {
  protocolMessage: readProtocol,
  pinInChatMessage: readPin,
  keepInChatMessage: readKeep,
  secretEncryptedMessage: readSealed,
  encReactionMessage: readSealed,
  encCommentMessage: readSealed,
  encEventResponseMessage: readSealed,
} satisfies KindTable
