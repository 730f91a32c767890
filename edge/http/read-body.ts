// Reads the bytes of a request's body up to a limit, or reads and discards them so that the caller gets its answer.

import { SECOND } from '../../shared/clock.ts'
import { withDeadline } from '../../shared/deadline.ts'
import { Fault } from '../../shared/faults.ts'
import { concat } from '../bytes.ts'

/** How much of an unwanted body is read, and for how long. */
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

/** If the caller disconnects or sends less than its Content-Length, the fault is the caller's. */
async function next(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    const { done, value } = await reader.read()
    return done ? undefined : value
  } catch {
    throw new Fault('invalid_body', 'The body ended before it was complete.')
  }
}

/**
 * The runtime closes the connection if more than 64 KiB of the body are unread after the answer, and the caller may lose the
 * answer with it. So the rest is read first.
 */
export async function drain(body: Stream): Promise<void> {
  const reader = body.getReader({ mode: 'byob' })
  const readAll = async () => {
    // A buffer for many of the runtime's small chunks takes an eighth of the time.
    let room = new Uint8Array(256 * 1024)
    for (let left = DRAINED_AT_MOST; left > 0; ) {
      const read = await reader.read(room)
      if (read.done) return
      left -= read.value.length
      room = new Uint8Array(read.value.buffer)
    }
  }
  try {
    // After the deadline the last read is still pending, and to release a reader during a read would throw.
    await withDeadline(
      readAll().finally(() => reader.releaseLock()),
      DRAINED_WITHIN,
      () => undefined,
    )
  } catch {
    // The caller has disconnected.
  }
}
