// Reads the body of an HTTP request up to a limit.

import type { IncomingMessage } from 'node:http'

/** Throws when it is longer than `atMost` bytes, or when its sender stops in the middle. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > maxBytes) throw new Error('the body is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
