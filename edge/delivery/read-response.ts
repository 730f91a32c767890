// Reads only the beginning of a response's body.

import { type Body, openReader } from '../runtime/body-reader.ts'

const MAX_READ_BYTES = 64 * 1024
/** Of a refusal, in bytes. */
const MAX_REFUSAL_BYTES = 1024

/** Of the bytes of its connection, at least so much is the body. */
const MIN_SHARE = 1 / 4

/**
 * Reads until the body ends or enough was read: a receiver whose body never ends has responded too. Throws if it comes in so small pieces that
 * what is around them is the most of it: to read it takes the time of others, so it is a failure, after which a receiver is asked later.
 */
export async function readBeginning(body: Body | null): Promise<void> {
  if (!body) return
  const reader = openReader(body)
  for (let read = 0; read < MAX_READ_BYTES; ) {
    const piece = await reader.next()
    if (!piece) return
    read += piece.length
    const { received = 0 } = reader
    if (received < MAX_READ_BYTES || read > received * MIN_SHARE) continue
    reader.cancel()
    throw new Error('the connection was closed: the pieces of the body are too small')
  }
  reader.cancel()
}

/**
 * The beginning of a refusal as one line of plain text. What has not arrived when `expired` resolves is left
 * out: a refusal must not delay the queue.
 */
export async function readRefusal(body: Body | null, expired: Promise<unknown>): Promise<string> {
  if (!body) return ''
  const reader = openReader(body)
  const bytes = new Uint8Array(MAX_REFUSAL_BYTES)
  let read = 0
  const filled = fillBuffer()
  await Promise.race([filled, expired])
  reader.cancel()
  return toPlainLine(bytes.subarray(0, read), read === MAX_REFUSAL_BYTES)

  async function fillBuffer(): Promise<void> {
    try {
      while (read < MAX_REFUSAL_BYTES) {
        const piece = await reader.next()
        if (!piece) return
        const part = piece.subarray(0, MAX_REFUSAL_BYTES - read)
        bytes.set(part, read)
        read += part.length
      }
    } catch {
      // The connection ended: the part that has arrived is used.
    }
  }
}

/** `isCut`: the last character may be incomplete. */
function toPlainLine(bytes: Uint8Array, isCut: boolean): string {
  const text = new TextDecoder().decode(bytes)
  const whole = isCut ? text.replace(/\uFFFD$/, '') : text
  // White space, controls, and characters that reorder text.
  return whole.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()
}
