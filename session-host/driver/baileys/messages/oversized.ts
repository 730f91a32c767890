// Cuts the texts of a message that is too large for a record, before it is stored or processed.

import { proto, writeRandomPadMax16 } from 'baileys'
import { boundedText, TEXT_BYTES } from '../../../../shared/bounds.ts'

const OVERSIZED_BYTES = 1024 * 1024
/** A little more than a record holds, so that the record is cut once more and marked as truncated. */
const KEPT_BYTES = TEXT_BYTES + 1024

/**
 * The decrypted message, or the same message with shorter texts. Of 10 MB the library would read each
 * character one by one, and our commit would write them all, while every other session of the process waits.
 */
export function cutOversized(padded: Uint8Array): Uint8Array {
  if (padded.length <= OVERSIZED_BYTES) return padded
  try {
    // The last byte is the length of the padding. protobuf decodes the texts of a Buffer natively.
    const length = padded.length - (padded.at(-1) ?? 0)
    const message = proto.Message.decode(Buffer.from(padded.buffer, padded.byteOffset, length))
    cutTexts(message)
    return writeRandomPadMax16(proto.Message.encode(message).finish())
  } catch {
    // This is no message: the library reports that itself.
    return padded
  }
}

function cutTexts(part: object): void {
  for (const [key, value] of Object.entries(part)) {
    if (typeof value === 'string') Object.assign(part, { [key]: boundedText(value, KEPT_BYTES) })
    else if (typeof value === 'object' && value && !(value instanceof Uint8Array)) cutTexts(value)
  }
}
