// Decodes the bytes of a long base64 text in their own memory, so that a file is in memory once, and between other work.

import { decodeBase64 } from '../runtime/base64.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** Characters that are decoded at a time. */
const PIECE_CHARACTERS = 48 * 1024
/** After so many pieces, a few milliseconds, others go first. */
const PIECES_IN_A_TURN = 8

const waitForTurn = () => new Promise<void>((resolve) => void setTimeout(resolve, 0))

/**
 * Writes the decoded bytes to the beginning of the memory of `text`, which is as it was in JSON and belongs to nobody else.
 * Undefined if it is not valid.
 */
export async function decodeInPlace(text: Bytes): Promise<Bytes | undefined> {
  let length = resolveEscapes(text)
  // Behind the padding: that must be in the last piece.
  while (BREAKS.includes(text[length - 1] ?? 0)) length--
  const ascii = new TextDecoder('latin1')
  let written = 0
  let rest = ''
  for (let at = 0; at < length; at += PIECE_CHARACTERS) {
    if (at > 0 && at % (PIECES_IN_A_TURN * PIECE_CHARACTERS) === 0) await waitForTurn()
    const isLast = at + PIECE_CHARACTERS >= length
    const characters =
      rest +
      ascii.decode(text.subarray(at, Math.min(at + PIECE_CHARACTERS, length))).replace(/[\t\n\r]+/g, '')
    const whole = isLast ? characters.length : characters.length - (characters.length % 4)
    rest = characters.slice(whole)
    const piece = characters.slice(0, whole)
    if (!isLast && piece.includes('=')) return undefined
    const decoded = decodeBase64(piece)
    if (!decoded) return undefined
    text.set(decoded, written)
    written += decoded.length
  }
  return text.subarray(0, written)
}

/** Tab and the ends of lines. */
const BREAKS = [0x09, 0x0a, 0x0d]
const BACKSLASH = 0x5c
const U = 0x75
/** No character of base64. */
const INVALID = 0x23
/** Characters after a backslash in JSON that are useful in base64: some programs escape every slash. */
const ESCAPES: Record<number, number> = { 47: 0x2f, 110: 0x0a, 114: 0x0d, 116: 0x09 }

/** Resolves the escapes of JSON in place, and returns the length. Any other than those of plain characters is made invalid. */
function resolveEscapes(text: Bytes): number {
  let written = text.indexOf(BACKSLASH)
  if (written < 0) return text.length
  for (let at = written; at < text.length; at++) {
    let byte = text[at] as number
    if (byte === BACKSLASH) {
      const kind = text[++at] as number
      byte = ESCAPES[kind] ?? INVALID
      if (kind === U) {
        byte = Number.parseInt(String.fromCharCode(...text.subarray(at + 1, at + 5)), 16)
        if (!(byte < 0x80)) byte = INVALID
        at += 4
      }
    }
    text[written++] = byte
  }
  return written
}
