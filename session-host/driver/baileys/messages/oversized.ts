// Cuts or replaces a large decrypted message before it is stored or processed.

import { proto, writeRandomPadMax16 } from 'baileys'
import { decodeMessage, encodeMessage } from './message-content.ts'

/** Smaller ones are not changed: the library reads them with the same limits. */
const LARGE_BYTES = 64 * 1024
/** The longest text, a quoted one, and previews. A database server refuses 5 MB, and every read of a row loads all of it. */
export const MAX_MESSAGE_BYTES = 512 * 1024
/** No message and not empty: the library reports that it cannot be decrypted. */
const GARBAGE = Uint8Array.of(0xff, 1)

export interface BoundedPlaintext {
  /** With its padding, for the library. */
  padded: Uint8Array
  /** False for content that the account's own devices share and that is too large to be stored with the keys. */
  storable: boolean
}

/** Of 10 MB our commit would write everything, and again at the next start, while every other session of the process waits. */
export function limitPlaintext(padded: Uint8Array, own: boolean): BoundedPlaintext {
  if (padded.length <= LARGE_BYTES) return { padded, storable: true }
  const message = readMessage(padded)
  if (!message) return { padded: GARBAGE, storable: true }
  if (own && isBetweenDevices(message)) return { padded, storable: padded.length <= MAX_MESSAGE_BYTES }
  const encoded = encodeMessage(message)
  const bounded = encoded.length <= MAX_MESSAGE_BYTES ? encoded : encodeMessage(placeholder)
  return { padded: writeRandomPadMax16(bounded), storable: true }
}

const { MASK_LINKED_DEVICES } = proto.Message.PlaceholderMessage.PlaceholderType

/** The network's own message for content that a device is not shown. */
export const placeholder: proto.IMessage = { placeholderMessage: { type: MASK_LINKED_DEVICES } }

/** Undefined for bytes that are no message. */
function readMessage(padded: Uint8Array): proto.IMessage | undefined {
  try {
    // The last byte is the length of the padding.
    return decodeMessage(padded.subarray(0, padded.length - (padded.at(-1) ?? 0)))
  } catch {
    return undefined
  }
}

const isBetweenDevices = (message: proto.IMessage): boolean =>
  Boolean((message.deviceSentMessage?.message ?? message).protocolMessage)
