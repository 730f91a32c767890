// The few forms of DER that a certificate needs.

/** Tags of ASN.1. */
const INTEGER = 0x02
const BITS = 0x03
const OCTETS = 0x04
const OBJECT = 0x06
const UTF8 = 0x0c
const UTC_TIME = 0x17
const GENERALIZED_TIME = 0x18
const SEQUENCE = 0x30
const SET = 0x31

export function encodeTagged(tag: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag]), encodeLength(body), body])
}

/** Constructed, with a context-specific number. */
export const encodeContext = (number: number, ...parts: Uint8Array[]) => encodeTagged(0xa0 | number, ...parts)
export const encodeSequence = (...parts: Uint8Array[]) => encodeTagged(SEQUENCE, ...parts)
export const encodeSet = (...parts: Uint8Array[]) => encodeTagged(SET, ...parts)
export const encodeOctets = (...parts: Uint8Array[]) => encodeTagged(OCTETS, ...parts)
export const encodeUtf8 = (text: string) => encodeTagged(UTF8, Buffer.from(text))
/** Whole bytes: none of the last one's bits is unused. */
export const encodeBits = (bytes: Uint8Array) => encodeTagged(BITS, Buffer.from([0]), bytes)
/** The bytes must not begin with a set bit, which would make the number negative. */
export const encodeInteger = (bytes: Uint8Array) => encodeTagged(INTEGER, bytes)

export function encodeObjectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return encodeTagged(OBJECT, Buffer.from([first * 40 + second, ...rest.flatMap(encodeBase128)]))
}

/** The year has two digits, which are valid up to 2049. */
export function encodeTime(at: Date): Buffer {
  const digits = `${at.toISOString().replace(/\D/g, '').slice(0, 14)}Z`
  return at.getUTCFullYear() < 2050
    ? encodeTagged(UTC_TIME, Buffer.from(digits.slice(2)))
    : encodeTagged(GENERALIZED_TIME, Buffer.from(digits))
}

function encodeBase128(value: number): number[] {
  const bytes = [value & 0x7f]
  for (let left = value >> 7; left > 0; left >>= 7) bytes.unshift((left & 0x7f) | 0x80)
  return bytes
}

function encodeLength({ length }: Buffer): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(length)
  const short = bytes.subarray(bytes.findIndex((byte) => byte > 0))
  return Buffer.concat([Buffer.from([0x80 | short.length]), short])
}
