// A body read from its connection: the stream of a Request or of a Response costs more than all the rest of a small one.

import type { IncomingMessage } from 'node:http'
import type { BodyReader } from '../runtime.ts'

const WAKING = ['readable', 'end', 'error', 'close'] as const

export class IncomingBody implements BodyReader {
  readonly #incoming: IncomingMessage
  readonly #ask: () => void
  locked = false

  /** `ask` is called before each read: a caller that expects to be asked for the body has not sent it yet. */
  constructor(incoming: IncomingMessage, ask: () => void = () => undefined) {
    this.#incoming = incoming
    this.#ask = ask
  }

  /** The stream of its Request was opened, and reads it. */
  get isStreamed(): boolean {
    return this.#incoming.listenerCount('data') > 0
  }

  next(): Uint8Array | undefined | Promise<Uint8Array | undefined> {
    this.#ask()
    return this.#readPiece() ?? (this.#isAtEnd() ? undefined : this.#waitForPiece())
  }

  release(): void {
    // There is no lock.
  }

  cancel(): void {
    if (!this.#isAtEnd()) this.#incoming.destroy()
  }

  #readPiece(): Buffer | undefined {
    return this.#incoming.read() ?? undefined
  }

  #isAtEnd(): boolean {
    return this.#incoming.complete && this.#incoming.readableLength === 0
  }

  /** Rejects if the connection is closed before the body is complete. */
  async #waitForPiece(): Promise<Buffer | undefined> {
    this.locked = true
    while (!this.#incoming.destroyed) {
      await this.#nextEvent()
      const piece = this.#readPiece()
      if (!piece && !this.#isAtEnd()) continue
      this.locked = false
      return piece
    }
    this.locked = false
    throw new Error('the connection was closed before the end of the body')
  }

  #nextEvent(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const happen = () => {
      for (const name of WAKING) this.#incoming.off(name, happen)
      resolve()
    }
    for (const name of WAKING) this.#incoming.on(name, happen)
    return promise
  }
}
