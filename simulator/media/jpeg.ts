// Reads the size of a JPEG.
const START = 0xffd8
const END = 0xffd9
const MARKER = 0xff
/** The frame headers; the other markers of that range define tables. */
const NO_FRAME = new Set([0xc4, 0xc8, 0xcc])

/** Undefined for bytes that are not a complete JPEG. */
export function readJpegSize(bytes: Buffer) {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== START) return undefined
  if (bytes.readUInt16BE(bytes.length - 2) !== END) return undefined
  for (let at = 2; at + 9 <= bytes.length; ) {
    const kind = bytes.readUInt8(at + 1)
    if (bytes.readUInt8(at) !== MARKER) return undefined
    if (kind >= 0xc0 && kind <= 0xcf && !NO_FRAME.has(kind)) {
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    }
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}
