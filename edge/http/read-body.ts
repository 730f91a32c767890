// Bytes of a request's body: read up to a limit, or read and thrown away so that whoever sends them hears the answer.

import { SECOND } from '../../shared/clock.ts'
import { withDeadline } from '../../shared/deadline.ts'
import { Fault } from '../../shared/faults.ts'
import { concat } from '../bytes.ts'

/** Of what nobody wants no more than this is read, and for no longer. */
const DRAINED_AT_MOST = 32 * 1024 * 1024
const DRAINED_WITHIN = 10 * SECOND

type Stream = ReadableStream<Uint8Array>

/** Throws `body_too_large` past the limit; what is left can still be read. */
export async function readBounded(body: Stream | null, atMost: number): Promise<Uint8Array<ArrayBuffer>> {
  if (!body) return new Uint8Array()
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for (let read = await next(reader); read; read = await next(reader)) {
      size += read.length
      if (size > atMost) throw new Fault('body_too_large')
      chunks.push(read)
    }
  } finally {
    reader.releaseLock()
  }
  return concat(chunks)
}

/** The caller left in the middle, or sent less than it had said: its mistake, and nobody else's. */
async function next(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    const { done, value } = await reader.read()
    return done ? undefined : value
  } catch {
    throw new Fault('invalid_body', 'The body ended before it was complete.')
  }
}

/**
 * The runtime hangs up on a body of which more than 64 KiB are unread when the answer is out, and the answer is lost
 * with the connection. So the rest is read before the answer goes.
 */
export async function drain(body: Stream): Promise<void> {
  const reader = body.getReader({ mode: 'byob' })
  const readAll = async () => {
    // Room for many of the runtime's small chunks: an eighth of the time.
    let room = new Uint8Array(256 * 1024)
    for (let left = DRAINED_AT_MOST; left > 0; ) {
      const read = await reader.read(room)
      if (read.done) return
      left -= read.value.length
      room = new Uint8Array(read.value.buffer)
    }
  }
  try {
    // Past the deadline the last read goes on, and a reader with one under way cannot be released: that would throw.
    await withDeadline(
      readAll().finally(() => reader.releaseLock()),
      DRAINED_WITHIN,
      () => undefined,
    )
  } catch {
    // Whoever sent it has gone.
  }
}
