// A message that no record can hold: its texts are cut before anybody keeps it or works on it.

import { proto, writeRandomPadMax16 } from 'baileys'
import { boundedText, TEXT_BYTES } from '../../../../shared/bounds.ts'

const OVERSIZED_BYTES = 1024 * 1024
/** A little more than a record holds: it is cut there once more, and marked. */
const KEPT_BYTES = TEXT_BYTES + 1024

/**
 * The plaintext as it was decrypted, or one that says the same in shorter texts. Of 10 MB the library would read each
 * character by itself, and our commit would write them all, while every other session of the process waits.
 */
export function cutOversized(padded: Uint8Array): Uint8Array {
  if (padded.length <= OVERSIZED_BYTES) return padded
  try {
    // The last byte says how many are padding. From a Buffer texts are read natively.
    const length = padded.length - (padded.at(-1) ?? 0)
    const message = proto.Message.decode(Buffer.from(padded.buffer, padded.byteOffset, length))
    cutTexts(message)
    return writeRandomPadMax16(proto.Message.encode(message).finish())
  } catch {
    // No message at all: the library finds that out for itself.
    return padded
  }
}

function cutTexts(part: object): void {
  for (const [key, value] of Object.entries(part)) {
    if (typeof value === 'string') Object.assign(part, { [key]: boundedText(value, KEPT_BYTES) })
    else if (typeof value === 'object' && value && !(value instanceof Uint8Array)) cutTexts(value)
  }
}
