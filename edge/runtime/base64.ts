// Base64 by the methods of the language where the runtime has them, else by Buffer, which both runtimes have.

type Bytes = Uint8Array<ArrayBuffer>

interface Native {
  fromBase64?(text: string, options?: { lastChunkHandling: 'strict' }): Bytes
}
const nativeBase64 = Uint8Array as unknown as Native

interface BufferLike extends Bytes {
  toString(encoding?: string): string
}
const { Buffer: buffer } = globalThis as unknown as {
  Buffer: { from(source: string | ArrayBufferLike, ...rest: (string | number)[]): BufferLike }
}

export function encodeBase64(bytes: Uint8Array): string {
  const own = bytes as Uint8Array & { toBase64?(): string }
  return own.toBase64?.() ?? buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
}

/**
 * Undefined unless the text is base64 with its padding; line breaks and tabs are passed over. A blank is not: most often it was a
 * `+`, which a form has decoded, so that the bytes would be others.
 */
export function decodeBase64(text: string): Bytes | undefined {
  if (!nativeBase64.fromBase64) return decodeByBuffer(text)
  if (text.includes(' ') || text.includes('\f')) return undefined
  try {
    return nativeBase64.fromBase64(text, { lastChunkHandling: 'strict' })
  } catch {
    return undefined
  }
}

/** Buffer skips what is not base64, so the text is checked first. */
function decodeByBuffer(text: string): Bytes | undefined {
  const packed = /[\t\n\r]/.test(text) ? text.replace(/[\t\n\r]/g, '') : text
  if (packed.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(packed)) return undefined
  const last = packed.slice(-4)
  // Bits of the last character that belong to no byte must be zero.
  if (buffer.from(last, 'base64').toString('base64') !== last) return undefined
  const bytes = buffer.from(packed, 'base64')
  // Small ones lie in a memory that they share with others.
  return bytes.length === bytes.buffer.byteLength ? new Uint8Array(bytes.buffer) : new Uint8Array(bytes)
}
