// A phone's changes of a sent message: reactions, edits, deletions; and what answers it under its secret.
import { proto } from '../codec/protobuf.ts'
import { formatAddress } from '../network/address.ts'
import { type Chat, findChat, isGroupChat } from '../network/message-chats.ts'
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'
import type { Message } from '../store/message-table.ts'
import { findSecret } from './seal-change.ts'
import { sendFromPhone } from './send-from-phone.ts'
import { buildEdit, buildSealed, type SealedKind } from './write-sealed.ts'

export type Change = 'revoke' | 'pin' | SealedKind
export const CHANGE_FORMS = ['sealed', 'plain', 'garbled'] as const
export type ChangeForm = (typeof CHANGE_FORMS)[number]

/** The mark of the change on the envelope; a deletion by an admin has a different one. */
const EDIT_MARK: Partial<Record<Change, string>> = { edit: '1', pin: '2', revoke: '7' }
const REVOKED_BY_ADMIN = '8'

export type ChangeRequest = {
  kind: Change
  text?: string
  /** How long a message is pinned; 0 unpins it. */
  seconds?: number
  form?: ChangeForm | undefined
}

export async function sendChange(
  network: Network,
  by: Account,
  target: Message,
  { kind, text = '', seconds = 0, form }: ChangeRequest,
) {
  const own = by.number === target.sender
  const author = network.store.accounts.find(target.sender)
  const chat = findChat(network, target)
  if (author === undefined || chat === undefined) throw new Error(`message ${target.id} has no chat any more`)
  const to = own || isGroupChat(chat) ? chat : author
  const key = { fromMe: own, id: target.id, ...buildTargetKey(to, author, target) }
  const plain = kind === 'pin' ? buildPin(key, seconds) : buildChange(kind, text, key, target)
  const sealed = isSealed(kind, form, to)
    ? sealPlain(network, by, { target, author, key }, kind, text)
    : undefined
  if (sealed && form === 'garbled') garble(sealed)
  return sendFromPhone(network, {
    from: by,
    to,
    form: target.form,
    message: sealed ?? plain,
    shown: plain,
    type: kind === 'react' ? 'reaction' : 'text',
    edit: kind === 'revoke' && !own ? REVOKED_BY_ADMIN : EDIT_MARK[kind],
  })
}

/** Phones seal reactions in groups only. */
const isSealed = (kind: Change, form: ChangeForm | undefined, to: Chat): kind is SealedKind =>
  kind !== 'pin' &&
  kind !== 'revoke' &&
  form !== 'plain' &&
  (form !== undefined || kind !== 'react' || isGroupChat(to))

/** Undefined where the phone knows no secret of the message: then it is changed in the plain form. */
function sealPlain(
  network: Network,
  by: Account,
  { target, author, key }: { target: Message; author: Account; key: proto.IMessageKey },
  kind: SealedKind,
  text: string,
): proto.IMessage | undefined {
  const secret = findSecret(network, by, target)
  return secret && buildSealed(secret, { target, author, by, key }, kind, text)
}

/** Its tag is wrong. */
function garble(message: proto.IMessage) {
  for (const part of Object.values(message)) if (part?.encPayload) part.encPayload[0] ^= 1
}

function buildTargetKey(to: Chat, author: Account, { form }: Message): proto.IMessageKey {
  if (!isGroupChat(to)) return { remoteJid: formatAddress(to, form) }
  return { remoteJid: to.jid, participant: formatAddress(author, form) }
}

function buildPin(key: proto.IMessageKey, seconds: number): proto.IMessage {
  const { PIN_FOR_ALL, UNPIN_FOR_ALL } = proto.Message.PinInChatMessage.Type
  const type = seconds > 0 ? PIN_FOR_ALL : UNPIN_FOR_ALL
  return {
    pinInChatMessage: { key, type, senderTimestampMs: Date.now() },
    messageContextInfo: { messageAddOnDurationInSecs: seconds },
  }
}

/** The key names the target from the writer's view. */
function buildChange(
  kind: Exclude<Change, 'pin'>,
  text: string,
  key: proto.IMessageKey,
  target: Message,
): proto.IMessage {
  switch (kind) {
    case 'react':
      return { reactionMessage: { key, text, senderTimestampMs: Date.now() } }
    case 'edit':
      return { editedMessage: { message: buildEdit(key, target, text) } }
    case 'comment':
      return { commentMessage: { message: { conversation: text }, targetMessageKey: key } }
    case 'revoke':
      return { protocolMessage: { key, type: proto.Message.ProtocolMessage.Type.REVOKE } }
    case 'answer':
    case 'choice':
      // Only companions are sent it.
      return {}
  }
}
