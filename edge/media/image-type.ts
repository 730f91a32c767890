// Finds the type of an image by its first bytes, not by its name or the type that its server or sender names.

import type { FileBody } from './file-content.ts'

/** Enough bytes to distinguish the types. */
const FIRST_BYTES = 12

const startsWith = (bytes: Uint8Array, at: number, ...first: number[]) =>
  first.every((byte, index) => bytes[at + index] === byte)

/** Undefined if it is no image that a message can be made of. */
export function findImageType(bytes: Uint8Array): string | undefined {
  if (startsWith(bytes, 0, 0xff, 0xd8, 0xff)) return 'image/jpeg'
  if (startsWith(bytes, 0, 0x89, 0x50, 0x4e, 0x47)) return 'image/png'
  // RIFF, its length, WEBP.
  if (startsWith(bytes, 0, 0x52, 0x49, 0x46, 0x46) && startsWith(bytes, 8, 0x57, 0x45, 0x42, 0x50))
    return 'image/webp'
  if (startsWith(bytes, 0, 0x47, 0x49, 0x46, 0x38)) return 'image/gif'
  return undefined
}

/** Returns the first bytes, fewer of a smaller file, and a body with all bytes. */
export async function readFirstBytes(body: FileBody): Promise<{ first: Uint8Array; body: FileBody }> {
  if (body instanceof Uint8Array) return { first: body.subarray(0, FIRST_BYTES), body }
  const reader = body.getReader()
  const read: Uint8Array[] = []
  const first = new Uint8Array(FIRST_BYTES)
  let size = 0
  while (size < FIRST_BYTES) {
    const { done, value } = await reader.read()
    if (done) break
    first.set(value.subarray(0, FIRST_BYTES - size), size)
    size += value.length
    read.push(value)
  }
  const whole = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = read.shift()
      if (next) return controller.enqueue(next)
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return { first: first.subarray(0, Math.min(size, FIRST_BYTES)), body: whole }
}
