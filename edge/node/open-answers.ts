// The answers that a server has under way.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

export class OpenAnswers {
  readonly #open = new Set<ServerResponse>()
  readonly #lastOf = new WeakMap<Duplex, ServerResponse>()
  #ended: () => void = () => undefined

  constructor(server: Server) {
    const note = (_: IncomingMessage, response: ServerResponse) => {
      this.#open.add(response)
      if (response.socket) this.#lastOf.set(response.socket, response)
      response.once('close', () => {
        this.#open.delete(response)
        if (this.#open.size === 0) this.#ended()
      })
    }
    for (const event of ['request', 'checkContinue', 'checkExpectation']) server.prependListener(event, note)
  }

  /** The last one on this connection, if it has not ended. */
  find(socket: Duplex): ServerResponse | undefined {
    const last = this.#lastOf.get(socket)
    return last && this.#open.has(last) ? last : undefined
  }

  /** Resolves when each has ended. */
  async end(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#ended = resolve
    for (const response of this.#open) response.shouldKeepAlive = false
    if (this.#open.size > 0) await promise
  }
}
