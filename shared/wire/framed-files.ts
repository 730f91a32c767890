// Several files in one transfer from the edge to a host, each with its type: their lengths are not known before their ends.

import * as z from 'zod'

/** What a frame has: the type of the next file, bytes of it, or nothing at its end. */
const FRAMES = { type: 0, bytes: 1, end: 2 }
/** Of the kind, and of the length after it. */
const HEAD_BYTES = 5
/** The runtime copies each piece, so the pieces are small. */
const PIECE_BYTES = 256 * 1024
const MAX_TYPE_BYTES = 1024

const FileType = z.object({ mimetype: z.string() })
export type FileType = z.infer<typeof FileType>

/** `body` is cancelled if the frames are not read to their end. */
export async function* frameFile(
  type: FileType,
  body: Uint8Array | ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  yield* buildFrame(FRAMES.type, new TextEncoder().encode(JSON.stringify(type)))
  if (body instanceof Uint8Array) yield* frameBytes(body)
  else for await (const chunk of body) yield* frameBytes(chunk)
  yield* buildFrame(FRAMES.end, new Uint8Array())
}

function* frameBytes(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES)
    yield* buildFrame(FRAMES.bytes, bytes.subarray(at, at + PIECE_BYTES))
}

function* buildFrame(kind: number, payload: Uint8Array): Generator<Uint8Array, void> {
  const head = new Uint8Array(HEAD_BYTES)
  const view = new DataView(head.buffer)
  view.setUint8(0, kind)
  view.setUint32(1, payload.length)
  yield head
  if (payload.length > 0) yield payload
}

interface FramedFile {
  type: FileType
  /** Read to its end before the next file. */
  bytes: AsyncGenerator<Uint8Array, void>
}

export class FramedFiles {
  readonly #chunks: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array()

  constructor(body: ReadableStream<Uint8Array>) {
    this.#chunks = body[Symbol.asyncIterator]()
  }

  /** Throws if the bytes end before it begins, or are no frames. */
  async readNext(): Promise<FramedFile> {
    const { kind, length } = await this.#readHead()
    if (kind !== FRAMES.type || length > MAX_TYPE_BYTES) throw new Error('the transfer has no file here')
    let text = ''
    const decoder = new TextDecoder()
    for await (const part of this.#readBytes(length)) text += decoder.decode(part, { stream: true })
    return { type: FileType.parse(JSON.parse(text)), bytes: this.#readFile() }
  }

  /** Reads no more of them. */
  async close(): Promise<void> {
    await this.#chunks.return?.().catch(() => undefined)
  }

  async *#readFile(): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const { kind, length } = await this.#readHead()
      if (kind === FRAMES.end) return
      if (kind !== FRAMES.bytes || length > PIECE_BYTES) throw new Error('a file of the transfer is broken')
      yield* this.#readBytes(length)
    }
  }

  async #readHead(): Promise<{ kind: number; length: number }> {
    const head = new Uint8Array(HEAD_BYTES)
    let at = 0
    for await (const part of this.#readBytes(HEAD_BYTES)) {
      head.set(part, at)
      at += part.length
    }
    const view = new DataView(head.buffer)
    return { kind: view.getUint8(0), length: view.getUint32(1) }
  }

  async *#readBytes(length: number): AsyncGenerator<Uint8Array, void> {
    for (let left = length; left > 0; ) {
      const chunk = this.#rest.length > 0 ? this.#rest : await this.#readChunk()
      const part = chunk.subarray(0, left)
      this.#rest = chunk.subarray(part.length)
      left -= part.length
      if (part.length > 0) yield part
    }
  }

  async #readChunk(): Promise<Uint8Array> {
    const { done, value } = await this.#chunks.next()
    if (done) throw new Error('a file ends too early')
    return value
  }
}
