// Reads the bytes of a request's body up to a limit, or reads and discards them so that the caller receives its response.

import { MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { type Body, openReader, readStream } from '../runtime/body-reader.ts'
import { concatBytes } from '../runtime/bytes.ts'
import type { BodyReader } from '../runtime/runtime.ts'

/** How slow a body may be. */
export interface Pace {
  /** Milliseconds without a byte. */
  silent: number
  /** Milliseconds that any body may take, and bytes a second that it must have afterwards. */
  atFirst: number
  bytesPerSecond: number
  /** Milliseconds, however much has come. */
  total: number
}

const ACCEPTED_PACE: Pace = {
  silent: 10 * SECOND,
  atFirst: MINUTE,
  bytesPerSecond: 64 * 1024,
  total: 10 * MINUTE,
}

/** A rejected body is read only so that its caller receives the response, and a caller that sends nothing is not waited for. */
const REJECTED_PACE: Pace = { silent: SECOND, atFirst: SECOND, bytesPerSecond: 64 * 1024, total: 10 * SECOND }
const MAX_DRAINED_BYTES = 32 * 1024 * 1024

/** A larger body is read by pieces of this size, where the runtime can: its own are small. */
const PIECE = 256 * 1024
const SMALL = 64 * 1024

type Stream = ReadableStream<Uint8Array>

export interface ReadOptions {
  maxBytes: number
  /** The length that the caller announced; 0 without one. */
  length: number
  /** Bytes that are put before those of the body. */
  before: Uint8Array
  /** Called before bytes are read into memory. */
  reserveBytes(bytes: number): void
  /** Called when bytes have been read. What it throws ends the reading. */
  onRead?: (bytes: number) => void
  /** Called with each piece, before it is retained. What it throws ends the reading. */
  checkPiece?: ((piece: Uint8Array) => void) | undefined
  pace?: Pace
}

/** Throws `body_too_large` past the limit; what is left can still be read. */
export async function readBounded(body: Body | null, options: ReadOptions): Promise<Uint8Array<ArrayBuffer>> {
  const { maxBytes, length, before, reserveBytes, onRead, checkPiece, pace = ACCEPTED_PACE } = options
  if (!body) return new Uint8Array(before)
  if (length > maxBytes) throw new Fault('body_too_large')
  if (length > 0) reserveBytes(length)
  let whole: Uint8Array<ArrayBuffer> | undefined
  const chunks: Uint8Array[] = [before]
  const source = new BodySource(body, length > SMALL, pace)
  let size = 0
  try {
    for (let read = await source.next(); read; read = await source.next()) {
      const end = size + read.length
      if (end > maxBytes) throw new Fault('body_too_large')
      onRead?.(read.length)
      checkPiece?.(read)
      if (length === 0) reserveBytes(read.length)
      if (length > SMALL) {
        whole ??= createWhole(before, length)
        whole.set(read, before.length + size)
      } else chunks.push(read)
      size = end
    }
  } finally {
    source.close()
  }
  return whole ? whole.subarray(0, before.length + size) : concatBytes(chunks)
}

/**
 * The pieces of a body as they come, each good for as long as it is referred to. Throws `body_too_large` past the limit. Whether read to its
 * end or not, what is left can still be read.
 */
export async function* readPieces(
  body: Body,
  { maxBytes, onRead, pace = ACCEPTED_PACE }: Pick<ReadOptions, 'maxBytes' | 'onRead' | 'pace'>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const source = new BodySource(body, true, pace)
  let size = 0
  try {
    for (let read = await source.next(); read; read = await source.next()) {
      size += read.length
      if (size > maxBytes) throw new Fault('body_too_large')
      onRead?.(read.length)
      yield new Uint8Array(read)
      // A host that reads slowly is no fault of the caller.
      source.recordPause()
    }
  } finally {
    source.close()
  }
}

function createWhole(before: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(before.length + length)
  whole.set(before)
  return whole
}

/**
 * The runtime closes the connection if more than 64 KiB of the body are unread after the response, and the caller may not receive the
 * response then. So the rest is read first. `pay` is called with the bytes of each piece, and resolves when the next may be read;
 * it calls `onPause` before each time that it waits.
 */
export async function drainBody(
  body: Body,
  pay: (bytes: number, onPause: () => void) => Promise<void>,
): Promise<void> {
  const source = new BodySource(body, true, REJECTED_PACE)
  try {
    let left = MAX_DRAINED_BYTES
    for (let read = await source.next(); read && left > 0; read = await source.next()) {
      left -= read.length
      await pay(read.length, () => source.recordPause())
      source.recordPause()
    }
  } catch {
    // The caller has disconnected, or sends too slowly to be waited for.
  } finally {
    source.close()
  }
}

class BodySource {
  readonly #reader: BodyReader
  readonly #pace: Pace
  /** Set when bytes were waited for. */
  #watch: ReturnType<typeof watchPace> | undefined
  #isReading = false

  constructor(body: Body, isLarge: boolean, pace: Pace) {
    this.#reader = isLarge && !('next' in body) ? readByPieces(body) : openReader(body)
    this.#pace = pace
  }

  /** The next bytes, which are good until the next call; undefined at the end. The faults are the caller's. */
  async next(): Promise<Uint8Array | undefined> {
    const piece = this.#reader.next()
    const bytes = piece instanceof Promise ? await this.#waitForPiece(piece) : piece
    this.#watch?.recordBytes(bytes?.length ?? 0)
    return bytes
  }

  /** While nothing was read by choice, the caller was not silent. */
  recordPause(): void {
    this.#watch?.recordBytes(0)
  }

  close(): void {
    this.#watch?.end()
    // A reader cannot be released during a read; then nothing else reads it either.
    if (!this.#isReading) this.#reader.release()
  }

  async #waitForPiece(piece: Promise<Uint8Array | undefined>): Promise<Uint8Array | undefined> {
    this.#watch ??= watchPace(this.#pace)
    this.#isReading = true
    const bytes = await Promise.race([piece, this.#watch.late]).catch((error) => {
      throw error instanceof Fault
        ? error
        : new Fault('invalid_body', 'The body ended before it was complete.')
    })
    this.#isReading = false
    return bytes
  }
}

/** A buffer for many of the runtime's small chunks takes an eighth of the time. */
function readByPieces(body: Stream): BodyReader {
  const reader = openByteReader(body)
  if (!reader) return readStream(body)
  let room = new Uint8Array(PIECE)
  return {
    locked: true,
    async next() {
      const { done, value } = await reader.read(room)
      if (done) return undefined
      room = new Uint8Array(value.buffer)
      return value
    },
    release: () => reader.releaseLock(),
    cancel: () => void reader.cancel().catch(() => undefined),
  }
}

/** Undefined where bodies are no byte streams. */
function openByteReader(body: Stream): ReadableStreamBYOBReader | undefined {
  try {
    return body.getReader({ mode: 'byob' })
  } catch {
    return undefined
  }
}

/** `late` rejects when the body is slower than it may be. */
function watchPace({ silent, atFirst, bytesPerSecond, total }: Pace) {
  const { promise: late, reject } = Promise.withResolvers<never>()
  // Only a read that waits looks at it.
  late.catch(() => undefined)
  const began = Date.now()
  let heardAt = began
  let bytes = 0
  const timer = setInterval(() => {
    const now = Date.now()
    const mayTake = Math.min(atFirst + (bytes / bytesPerSecond) * SECOND, total)
    const isSlow = now - began >= mayTake
    if (isSlow || now - heardAt >= silent)
      reject(new Fault('invalid_body', 'The body did not arrive in time.'))
  }, silent / 4)
  return {
    late,
    recordBytes(read: number) {
      heardAt = Date.now()
      bytes += read
    },
    end: () => clearInterval(timer),
  }
}
