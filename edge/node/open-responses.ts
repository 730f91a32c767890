// The responses that a server has not finished.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

export class OpenResponses {
  readonly #open = new Set<ServerResponse>()
  readonly #lastBySocket = new WeakMap<Duplex, ServerResponse>()
  #onAllEnded: () => void = () => undefined

  constructor(server: Server) {
    const addResponse = (_: IncomingMessage, response: ServerResponse) => {
      this.#open.add(response)
      if (response.socket) this.#lastBySocket.set(response.socket, response)
      response.once('close', () => {
        this.#open.delete(response)
        if (this.#open.size === 0) this.#onAllEnded()
      })
    }
    for (const event of ['request', 'checkContinue', 'checkExpectation'])
      server.prependListener(event, addResponse)
  }

  /** The last one on this connection, if it has not ended. */
  findLast(socket: Duplex): ServerResponse | undefined {
    const last = this.#lastBySocket.get(socket)
    return last && this.#open.has(last) ? last : undefined
  }

  /** Resolves when all have ended. */
  async waitForEnd(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onAllEnded = resolve
    for (const response of this.#open) response.shouldKeepAlive = false
    if (this.#open.size > 0) await promise
  }
}
