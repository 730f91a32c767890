// A body read from its connection: the stream of a Request or of a Response costs more than all the rest of a small one.

import type { IncomingMessage } from 'node:http'
import type { BodyReader } from '../runtime/runtime.ts'

const WAKE_EVENTS = ['readable', 'end', 'error', 'close'] as const

export class IncomingBody implements BodyReader {
  readonly #incoming: IncomingMessage
  readonly #onRead: () => void
  readonly #receivedBefore: number
  locked = false

  /** `onRead` is called before each read: a caller that waits for `100 Continue` has not sent the body yet. */
  constructor(incoming: IncomingMessage, onRead: () => void = () => undefined) {
    this.#incoming = incoming
    this.#onRead = onRead
    this.#receivedBefore = incoming.socket.bytesRead
  }

  get received(): number {
    return this.#incoming.socket.bytesRead - this.#receivedBefore
  }

  /** The stream of its Request was opened, and reads it. */
  get isStreamed(): boolean {
    return this.#incoming.listenerCount('data') > 0
  }

  next(): Uint8Array | undefined | Promise<Uint8Array | undefined> {
    this.#onRead()
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
      await this.#waitForEvent()
      const piece = this.#readPiece()
      if (!piece && !this.#isAtEnd()) continue
      this.locked = false
      return piece
    }
    this.locked = false
    throw new Error('the connection was closed before the end of the body')
  }

  #waitForEvent(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const onEvent = () => {
      for (const name of WAKE_EVENTS) this.#incoming.off(name, onEvent)
      resolve()
    }
    for (const name of WAKE_EVENTS) this.#incoming.on(name, onEvent)
    return promise
  }
}
