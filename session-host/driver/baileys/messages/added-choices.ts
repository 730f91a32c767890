// Choices that people add to a poll, in a message that the library's types do not know.

import { proto } from 'baileys'
import { BoundedReader, PART_LIMITS } from './bounded-reader.ts'
import { decodeMessage, encodeMessage } from './message-content.ts'
import { appendOption, cutOptionName } from './poll-content.ts'

/** Field numbers: of the message, and of the option in it. */
const POLL_ADD_OPTION = 121
const OPTION = 2
/** A field that has a length. */
const BYTES = 2

/** Undefined for a message of another kind. */
export function readAddedChoice(message: Uint8Array): string | undefined {
  const added = readField(message, POLL_ADD_OPTION)
  const option = added && readField(added, OPTION)
  const { optionName } = option ? proto.Message.PollCreationMessage.Option.decode(option) : {}
  return optionName ? cutOptionName(optionName) : undefined
}

/** The poll with one more choice; undefined if it has that choice, or as many as a poll can have. */
export function addChoice(poll: Uint8Array, choice: string): Uint8Array<ArrayBuffer> | undefined {
  const message = decodeMessage(poll)
  return appendOption(message, choice) ? encodeMessage(message) : undefined
}

/** The bytes of the field's last value. Throws for bytes that are no message. */
function readField(bytes: Uint8Array, number: number): Uint8Array | undefined {
  const reader = new BoundedReader(bytes, PART_LIMITS)
  let found: Uint8Array | undefined
  while (reader.pos < reader.len) {
    const tag = reader.uint32()
    if (tag === number * 8 + BYTES) found = reader.bytes()
    else reader.skipType(tag & 7)
  }
  return found
}
