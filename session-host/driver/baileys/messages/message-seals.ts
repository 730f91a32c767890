// Decrypts what is encrypted under the secret of another message: edits, votes, reactions, comments, answers to events.

import { createDecipheriv, hkdfSync } from 'node:crypto'
import type { proto } from 'baileys'
import { unwrap } from './message-wrappers.ts'

export type SealLabel =
  | 'Message Edit'
  | 'Event Edit'
  | 'Poll Edit'
  | 'Poll Add Option'
  | 'Enc Reaction'
  | 'Enc Comment'
  | 'Event Response'
  | 'Poll Vote'

/** A part of a message that is encrypted under the secret of the message that `key` names. */
export interface Seal {
  label: SealLabel
  key: proto.IMessageKey
  payload: Uint8Array
  iv: Uint8Array
}

/** The message whose secret it is, and all known ids of the people who wrote the two, in the network's form. */
export interface SealPlace {
  secret: Uint8Array
  targetid: string
  authors: string[]
  writers: string[]
}

/** By the number of their type; the library's types lack the last two. */
const WHOLE_LABELS: Record<number, SealLabel> = {
  1: 'Event Edit',
  2: 'Message Edit',
  4: 'Poll Edit',
  5: 'Poll Add Option',
}
/** These also authenticate the id of the message and the writer. */
const WITH_ASSOCIATED_DATA: SealLabel[] = ['Event Response', 'Poll Vote']
const TAG_BYTES = 16
/** Each is decrypted once for every pair of ids; the longest text takes a quarter of it. */
const MAX_PAYLOAD_BYTES = 256 * 1024

export function findSeal(content: proto.IMessage | null | undefined): Seal | undefined {
  const { secretEncryptedMessage: whole, encReactionMessage, encCommentMessage } = content ?? {}
  const answer = content?.encEventResponseMessage
  if (whole) {
    const label = WHOLE_LABELS[Number(whole.secretEncType)]
    return label && toSeal(label, whole.targetMessageKey, whole)
  }
  if (encReactionMessage)
    return toSeal('Enc Reaction', encReactionMessage.targetMessageKey, encReactionMessage)
  if (encCommentMessage) return toSeal('Enc Comment', encCommentMessage.targetMessageKey, encCommentMessage)
  return answer ? toSeal('Event Response', answer.eventCreationMessageKey, answer) : undefined
}

const toSeal = (
  label: SealLabel,
  key: proto.IMessageKey | null | undefined,
  sealed: proto.Message.IPollEncValue,
): Seal | undefined =>
  key?.id
    ? { label, key, payload: sealed.encPayload ?? new Uint8Array(), iv: sealed.encIv ?? new Uint8Array() }
    : undefined

/** The secret of a message, which may be inside of its wrapper. */
export const findSecret = (message: proto.IMessage): Uint8Array | undefined => {
  const context = message.messageContextInfo ?? unwrap(message)?.messageContextInfo
  const secret = context?.messageSecret
  return secret?.length ? secret : undefined
}

/**
 * The key depends on both people's ids as the chat addresses them, which is not sent, so all known ids are tried. Undefined if
 * none fits: the message is forged, damaged, or under another secret.
 */
export function openSeal(
  { label, payload, iv }: Pick<Seal, 'label' | 'payload' | 'iv'>,
  { secret, targetid, authors, writers }: SealPlace,
  maxBytes = MAX_PAYLOAD_BYTES,
): Buffer | undefined {
  if (payload.length < TAG_BYTES || payload.length > maxBytes || iv.length === 0) return undefined
  for (const author of authors) {
    for (const writer of writers) {
      const key = hkdfSync('sha256', secret, '', `${targetid}${author}${writer}${label}`, 32)
      const associated = WITH_ASSOCIATED_DATA.includes(label) ? `${targetid}\0${writer}` : ''
      const plain = tryDecrypt(Buffer.from(key), { payload, iv }, associated)
      if (plain) return plain
    }
  }
  return undefined
}

function tryDecrypt(
  key: Buffer,
  { payload, iv }: Pick<Seal, 'payload' | 'iv'>,
  associated: string,
): Buffer | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, iv)
    decipher.setAAD(Buffer.from(associated))
    decipher.setAuthTag(payload.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(payload.subarray(0, -TAG_BYTES)), decipher.final()])
  } catch {
    // Other ids, or a forged message.
    return undefined
  }
}
