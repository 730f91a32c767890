// Converts text to bytes, and joins bytes.

type Bytes = Uint8Array<ArrayBuffer>

const encoder = new TextEncoder()

export const encodeUtf8 = (text: string): Bytes => encoder.encode(text) as Bytes

export function concatBytes(parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}
