// Passes the bytes of a stream on, and fails above a limit.

import { UnsupportedFile } from './media-job.ts'

export function limitBytes(maxBytes: number) {
  return async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
    let total = 0
    for await (const chunk of chunks) {
      total += chunk.length
      if (total > maxBytes) throw new UnsupportedFile('is too large')
      yield chunk
    }
  }
}
