// A protobuf reader with limits: for the values, the depth and the text that a decoder makes of foreign bytes.

import { MAX_TEXT_BYTES } from '@msgnet/shared/truncation.ts'
import { fromBaileys } from '../patches/patch.ts'

/** The part of protobufjs's reader that is used here. Every tag, length and number is read by `uint32`. */
interface Reader {
  readonly buf: Buffer
  readonly len: number
  pos: number
  uint32(): number
  string(): string
  bytes(): Uint8Array
  /** Skips a value of that wire type. */
  skipType(wireType: number): unknown
}
interface Protobuf {
  Reader: new (bytes: Uint8Array) => Reader
  BufferReader: new (bytes: Buffer) => Reader
}

const { Reader: AnyReader, BufferReader } = fromBaileys('protobufjs/minimal.js') as Protobuf

/** Thrown for bytes that hold more than `ReadLimits` allow. */
export class LimitExceeded extends Error {}

export interface ReadLimits {
  /** Tags, lengths and numbers. Each takes a byte at least, and an object of the decoder two or three of them. */
  values: number
  /** Bytes of all texts together; the rest of them is cut. */
  text: number
}

/** A message that mentions the thousand members of a large group takes two thousand values. */
export const MESSAGE_LIMITS: ReadLimits = { values: 16_384, text: 2 * MAX_TEXT_BYTES }
/** Keys, certificates and votes have a few fields. */
export const PART_LIMITS: ReadLimits = { values: 1024, text: MAX_TEXT_BYTES }
/** What an account's own devices share: settings, history, the ids of all its contacts. */
export const ACCOUNT_LIMITS: ReadLimits = { values: 4_000_000, text: 64 * 1024 * 1024 }

/** A little more than a record holds, so that the record is cut once more and marked as truncated. */
const MAX_READ_TEXT_BYTES = MAX_TEXT_BYTES + 1024
/** Of messages in one another, counted where the types of the network contain themselves. Phones write six at most. */
const MAX_DEPTH = 64

export class BoundedReader extends BufferReader {
  #values: number
  #text: number
  #depth = 0

  constructor(bytes: Uint8Array, limits: ReadLimits) {
    // Of a Buffer texts are decoded natively, of other arrays one character after the other.
    super(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    this.#values = limits.values
    this.#text = limits.text
  }

  override uint32(): number {
    this.#values -= 1
    if (this.#values < 0) throw new LimitExceeded('too many values')
    return super.uint32()
  }

  override string(): string {
    const length = this.uint32()
    const start = this.pos
    const end = Math.min(start + length, this.len)
    this.pos = end
    const maxBytes = Math.min(MAX_READ_TEXT_BYTES, this.#text)
    const textEnd = end - start <= maxBytes ? end : findCharacterEnd(this.buf, start, start + maxBytes)
    this.#text -= textEnd - start
    return this.buf.toString('utf8', start, textEnd)
  }

  /** Decodes what is inside of a message that may contain itself. */
  decodeNested<Decoded>(decode: () => Decoded): Decoded {
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) throw new LimitExceeded('too deep')
    const decoded = decode()
    this.#depth -= 1
    return decoded
  }
}

/** The end of the last character that is whole before `end`. */
function findCharacterEnd(bytes: Buffer, start: number, end: number): number {
  let at = end
  // Bytes inside of a character begin with the bits 10.
  while (at > start && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1
  return at
}

export const isReader = (input: unknown): input is Reader => input instanceof AnyReader
