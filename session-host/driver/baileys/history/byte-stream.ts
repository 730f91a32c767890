// Reads bytes that arrive in pieces, as the protobuf encoding needs them: only the requested bytes are in memory.

const CONTINUED = 0x80
/** A number of 64 bits. */
const VARINT_BYTES = 10

/** Yields when it needs the next piece. Not a promise for each number: a chunk of history has hundreds of thousands. */
export type Reading<Value> = Generator<void, Value, void>

export class ByteStream {
  #piece: Buffer = Buffer.alloc(0)
  #at = 0
  #complete = false
  /** Bytes read or skipped so far. */
  position = 0

  /** Runs `steps` over all pieces of `source`. The next piece is read when `afterPiece` has resolved. */
  async run<Value>(
    source: AsyncIterable<Buffer>,
    steps: Reading<Value>,
    afterPiece?: () => Promise<void>,
  ): Promise<Value> {
    for await (const piece of source) {
      this.#piece = piece
      this.#at = 0
      const step = steps.next()
      await afterPiece?.()
      if (step.done) return step.value
    }
    this.#complete = true
    const step = steps.next()
    if (!step.done) throw new Error('the bytes end too early')
    return step.value
  }

  *hasEnded(): Reading<boolean> {
    while (this.#at >= this.#piece.length) {
      if (this.#complete) return true
      yield
    }
    return false
  }

  *readVarint(): Reading<number> {
    let value = 0
    for (let shift = 0; shift < VARINT_BYTES; shift += 1) {
      if (this.#at >= this.#piece.length) yield* this.#next()
      const byte = this.#piece[this.#at] ?? 0
      this.#at += 1
      this.position += 1
      value += (byte & ~CONTINUED) * 2 ** (7 * shift)
      if ((byte & CONTINUED) === 0) return value
    }
    throw new Error('a number is too long')
  }

  *read(length: number): Reading<Buffer> {
    const pieces: Buffer[] = []
    yield* this.#pass(length, (piece) => pieces.push(piece))
    return Buffer.concat(pieces)
  }

  skip(length: number): Reading<void> {
    return this.#pass(length, () => undefined)
  }

  *#pass(length: number, onPiece: (piece: Buffer) => void): Reading<void> {
    for (let left = length; left > 0; ) {
      if (this.#at >= this.#piece.length) yield* this.#next()
      const piece = this.#piece.subarray(this.#at, this.#at + left)
      onPiece(piece)
      this.#at += piece.length
      left -= piece.length
    }
    this.position += length
  }

  *#next(): Reading<void> {
    if (yield* this.hasEnded()) throw new Error('the bytes end too early')
  }
}
