// The messages that phones seal under the secret of another one, in the form of each kind.
import { proto } from '../codec/protobuf.ts'
import type { Account } from '../store/account-table.ts'
import type { Message } from '../store/message-table.ts'
import { type SealLabel, sealChange } from './seal-change.ts'

/** `answer`: to an event. `choice`: one more of a poll. */
const SEALED_KINDS = ['edit', 'react', 'comment', 'answer', 'choice'] as const
export type SealedKind = (typeof SEALED_KINDS)[number]

export const EVENT_ANSWERS = ['going', 'notGoing', 'maybe'] as const
const { GOING, NOT_GOING, MAYBE } = proto.Message.EventResponseMessage.EventResponseType
const ANSWERS = { going: GOING, notGoing: NOT_GOING, maybe: MAYBE }

/** The library's types know the first two. */
const SEALED_TYPES = {
  'Event Edit': 1,
  'Message Edit': 2,
  'Poll Edit': 4,
  'Poll Add Option': 5,
} as const
/** The field of an added choice in a message, which the library's types lack. */
const POLL_ADD_OPTION_FIELD = 121

type Place = { target: Message; author: Account; by: Account; key: proto.IMessageKey }

export function buildSealed(
  secret: Uint8Array,
  place: Place,
  kind: SealedKind,
  text: string,
): proto.IMessage {
  const { key, target } = place
  const seal = (label: SealLabel, plain: Uint8Array) => sealChange(secret, place, label, plain)
  const sealWhole = (label: keyof typeof SEALED_TYPES, plain: Uint8Array) => ({
    secretEncryptedMessage: {
      targetMessageKey: key,
      secretEncType: SEALED_TYPES[label] as number,
      ...seal(label, plain),
    },
  })
  switch (kind) {
    case 'edit':
      return sealWhole(chooseEditLabel(target), proto.Message.encode(buildEdit(key, target, text)).finish())
    case 'choice':
      return sealWhole('Poll Add Option', encodeChoice(key, text))
    case 'react': {
      const plain = { text, senderTimestampMs: Date.now() }
      const sealed = seal('Enc Reaction', proto.Message.ReactionMessage.encode(plain).finish())
      return { encReactionMessage: { targetMessageKey: key, ...sealed } }
    }
    case 'comment': {
      const sealed = seal('Enc Comment', proto.Message.encode({ conversation: text }).finish())
      return { encCommentMessage: { targetMessageKey: key, ...sealed } }
    }
    case 'answer': {
      const response = ANSWERS[text as keyof typeof ANSWERS]
      const plain = { response, timestampMs: Date.now() }
      const sealed = seal('Event Response', proto.Message.EventResponseMessage.encode(plain).finish())
      return { encEventResponseMessage: { eventCreationMessageKey: key, ...sealed } }
    }
  }
}

const readTarget = ({ content }: Message): proto.IMessage => (content ? proto.Message.decode(content) : {})

function chooseEditLabel(target: Message) {
  const { eventMessage, pollCreationMessage, pollCreationMessageV3 } = readTarget(target)
  if (eventMessage) return 'Event Edit'
  return pollCreationMessage || pollCreationMessageV3 ? 'Poll Edit' : 'Message Edit'
}

/** The words of a text, the caption of a file, the question of a poll, the name of an event. */
export function buildEdit(key: proto.IMessageKey, target: Message, text: string): proto.IMessage {
  const type = proto.Message.ProtocolMessage.Type.MESSAGE_EDIT
  const editedMessage = replaceWords(readTarget(target), text)
  return { protocolMessage: { key, type, editedMessage, timestampMs: Date.now() } }
}

function replaceWords(message: proto.IMessage, text: string): proto.IMessage {
  const { eventMessage, pollCreationMessage, pollCreationMessageV3 } = message
  if (eventMessage) return { eventMessage: { ...eventMessage, name: text } }
  if (pollCreationMessage) return { pollCreationMessage: { ...pollCreationMessage, name: text } }
  if (pollCreationMessageV3) return { pollCreationMessageV3: { ...pollCreationMessageV3, name: text } }
  return { conversation: text }
}

function encodeChoice(key: proto.IMessageKey, optionName: string): Uint8Array {
  const option = proto.Message.PollCreationMessage.Option.encode({ optionName }).finish()
  const added = [encodePart(1, proto.MessageKey.encode(key).finish()), encodePart(2, option)]
  return encodePart(POLL_ADD_OPTION_FIELD, Buffer.concat(added))
}

/** A field that has a length. */
const encodePart = (field: number, bytes: Uint8Array): Buffer =>
  Buffer.concat([encodeVarint(field * 8 + 2), encodeVarint(bytes.length), bytes])

function encodeVarint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128)
  return Buffer.from([...bytes, rest])
}
