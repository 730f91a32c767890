// Messages that are encrypted under the secret of another one, brought into the form of those that are not.

import { proto } from 'baileys'
import type { MessageContent, OpenedMessage, SealedMessage } from '../../driver.ts'
import { toNetworkId, truncateId } from '../../message-names.ts'
import { toNetworkJid } from '../ids.ts'
import { readAddedChoice } from './added-choices.ts'
import { decodeMessage, encodeMessage, readContent } from './message-content.ts'
import { findSeal, findSecret, openSeal, type Seal } from './message-seals.ts'
import { unwrap } from './message-wrappers.ts'

const { MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type
const { GOING, NOT_GOING, MAYBE } = proto.Message.EventResponseMessage.EventResponseType
const EVENT_ANSWERS: Record<number, string> = { [GOING]: 'going', [NOT_GOING]: 'notGoing', [MAYBE]: 'maybe' }

/** What the sealed message says; undefined if it cannot be decrypted with the secret of its target, or says nothing. */
export function openSealed({
  target,
  targetid,
  authors,
  sealed,
  writers,
}: SealedMessage): OpenedMessage | undefined {
  const secret = findSecret(decodeMessage(target))
  const seal = findSeal(unwrap(decodeMessage(sealed)))
  if (!secret || !seal) return undefined
  const place = {
    secret,
    targetid: toNetworkId(targetid),
    authors: authors.map(toNetworkJid),
    writers: writers.map(toNetworkJid),
  }
  const plain = openSeal(seal, place)
  if (!plain) return undefined
  try {
    return readPlain(seal, plain, sealed)
  } catch {
    // Its writer encrypted something else.
    return undefined
  }
}

function readPlain(seal: Seal, plain: Buffer, sealed: Uint8Array): OpenedMessage | undefined {
  switch (seal.label) {
    case 'Message Edit':
    case 'Event Edit':
    case 'Poll Edit':
      return toOpened(buildEdit(seal.key, decodeMessage(plain)))
    case 'Enc Reaction': {
      const reactionMessage = proto.Message.ReactionMessage.decode(plain)
      return toOpened({ reactionMessage: { ...reactionMessage, key: seal.key } })
    }
    case 'Enc Comment':
      return toOpened({ commentMessage: { message: decodeMessage(plain), targetMessageKey: seal.key } })
    case 'Event Response': {
      const { response, extraGuestCount } = proto.Message.EventResponseMessage.decode(plain)
      const answer = EVENT_ANSWERS[Number(response)]
      const guests = extraGuestCount ? { extraGuests: extraGuestCount } : {}
      return answer
        ? toEffect('encEventResponseMessage', seal, answer, { answer, ...guests }, sealed)
        : undefined
    }
    case 'Poll Add Option': {
      const choice = readAddedChoice(plain)
      return choice ? toEffect('pollAddOptionMessage', seal, choice, { choice }, sealed) : undefined
    }
    case 'Poll Vote':
      return undefined
  }
}

/** The outer key counts: the writer may have named any other message inside. */
function buildEdit(key: proto.IMessageKey, plain: proto.IMessage): proto.IMessage {
  const inner = unwrap(plain)
  const editedMessage = inner?.protocolMessage ? (inner.protocolMessage.editedMessage ?? null) : plain
  return { editedMessage: { message: { protocolMessage: { key, type: MESSAGE_EDIT, editedMessage } } } }
}

function toOpened(message: proto.IMessage): OpenedMessage | undefined {
  const content = readContent(message)
  return content && { content, encoded: encodeMessage(message) }
}

/** The network has no plain form of it. */
function toEffect(
  messageType: string,
  { key }: Seal,
  text: string,
  details: Record<string, unknown>,
  sealed: Uint8Array,
): OpenedMessage {
  const target = truncateId(key.id ?? '')
  const content: MessageContent = {
    messageType,
    type: 'other',
    mediaType: '',
    text,
    quoted: '',
    reaction: '',
    target,
    content: { target, ...details },
  }
  return { content, encoded: new Uint8Array(sealed) }
}
