// A body read piece by piece: that of a stream, or one that its runtime reads without a stream.

import type { BodyReader } from './runtime.ts'

export type Body = ReadableStream<Uint8Array> | BodyReader

export const openReader = (body: Body): BodyReader => ('next' in body ? body : readStream(body))

export function readStream(body: ReadableStream<Uint8Array>): BodyReader {
  const reader = body.getReader()
  return {
    locked: true,
    next: async () => (await reader.read()).value,
    release: () => reader.releaseLock(),
    // The other side decides when and how the connection ends.
    cancel: () => void reader.cancel().catch(() => undefined),
  }
}
