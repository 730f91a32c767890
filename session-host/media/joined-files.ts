// Separates files that were transferred as one, each of a known length.

export class JoinedFiles {
  readonly #chunks: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array()

  constructor(body: ReadableStream<Uint8Array>) {
    this.#chunks = body[Symbol.asyncIterator]()
  }

  /** The next file. Throws if the bytes end before it does. */
  async *readNext(length: number): AsyncGenerator<Uint8Array, void> {
    for (let left = length; left > 0; ) {
      const chunk = this.#rest.length > 0 ? this.#rest : await this.#readChunk()
      const part = chunk.subarray(0, left)
      this.#rest = chunk.subarray(part.length)
      left -= part.length
      if (part.length > 0) yield part
    }
  }

  /** Reads no more of them. */
  async close(): Promise<void> {
    await this.#chunks.return?.().catch(() => undefined)
  }

  async #readChunk(): Promise<Uint8Array> {
    const { done, value } = await this.#chunks.next()
    if (done) throw new Error('a file ends too early')
    return value
  }
}
