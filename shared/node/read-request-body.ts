// Reads the body of an HTTP request up to a limit.

import type { IncomingMessage } from 'node:http'

export class BodyTooLargeError extends Error {
  constructor() {
    super('the body is too large')
  }
}

/** Throws a BodyTooLargeError when it is longer than `maxBytes`, or another error when its sender stops in the middle. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  // The connection stays open, so that the refusal can be sent on it.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length
    if (size > maxBytes) {
      request.resume()
      throw new BodyTooLargeError()
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
