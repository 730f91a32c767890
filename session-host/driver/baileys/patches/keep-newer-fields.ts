// Patch: what a message says in a field that is newer than the library's types stays with it.

import { proto } from 'baileys'
import { BoundedReader, isReader, MESSAGE_LIMITS } from '../messages/bounded-reader.ts'
import { findUnwrittenField, retainNewerField } from '../messages/newer-fields.ts'
import type { Patch } from './patch.ts'

type Decode = typeof proto.Message.decode
type Encode = typeof proto.Message.encode

const patched = new WeakSet<object>()
/** They stand beside what a message says. */
const ENVELOPE = [
  'senderKeyDistributionMessage',
  'fastRatchetKeySenderKeyDistributionMessage',
  'messageContextInfo',
]

const saysNothing = (message: proto.IMessage): boolean =>
  !message.conversation && Object.keys(message).every((name) => ENVELOPE.includes(name))

const retainOnDecoding = (decode: Decode): Decode => {
  const patch = ((input: Uint8Array | BoundedReader, length?: number, ...rest: unknown[]) => {
    const start = isReader(input) ? input.pos : 0
    const message = (decode as (...parts: unknown[]) => proto.Message)(input, length, ...rest)
    if (!saysNothing(message)) return message
    const reader = input instanceof BoundedReader ? input : createEndedReader(input)
    if (reader) retainNewerField(message, reader, start)
    return message
  }) as unknown as Decode
  patched.add(patch)
  return patch
}

/** Undefined for another reader, whose limits are not known. */
function createEndedReader(input: Uint8Array): BoundedReader | undefined {
  if (isReader(input)) return undefined
  const reader = new BoundedReader(input, MESSAGE_LIMITS)
  reader.pos = reader.len
  return reader
}

const BYTES = 2

const writeOnEncoding = (encode: Encode): Encode => {
  const patch: Encode = (message, writer) => {
    const written = encode(message, writer)
    const field = findUnwrittenField(message)
    return field ? written.uint32(field.number * 8 + BYTES).bytes(field.bytes) : written
  }
  patched.add(patch)
  return patch
}

export const keepNewerFields: Patch = {
  name: 'keep-newer-fields',
  library: 'baileys@7.0.0-rc14',
  fault:
    'A message whose only content is a field that the types of the library do not know is decoded as an empty one.',
  why: 'A kind of message that the network has begun to use came as nothing at all: nobody learnt that somebody had written.',
  upstream:
    'To file with WhiskeySockets/Baileys: "WAProto lacks fields 115 to 131 of Message, and drops them without a word". With the bytes of a spoilerMessage.',
  until:
    'The types of the library have these fields, and the generated code keeps those that it does not know.',
  apply() {
    if (!patched.has(proto.Message.decode)) proto.Message.decode = retainOnDecoding(proto.Message.decode)
    if (!patched.has(proto.Message.encode)) proto.Message.encode = writeOnEncoding(proto.Message.encode)
  },
}
