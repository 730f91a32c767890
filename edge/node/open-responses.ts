// The responses that a server has not finished.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

export class OpenResponses {
  readonly #bySocket = new WeakMap<Duplex, Set<ServerResponse>>()
  readonly #all = new Set<ServerResponse>()
  #onAllEnded: () => void = () => undefined

  constructor(server: Server) {
    const addResponse = ({ socket }: IncomingMessage, response: ServerResponse) => {
      const ofSocket = this.#bySocket.get(socket) ?? new Set()
      this.#bySocket.set(socket, ofSocket.add(response))
      this.#all.add(response)
      response.once('close', () => {
        ofSocket.delete(response)
        this.#all.delete(response)
        if (this.#all.size === 0) this.#onAllEnded()
      })
    }
    for (const event of ['request', 'checkContinue', 'checkExpectation'])
      server.prependListener(event, addResponse)
  }

  /** Those of a connection, in the order of their requests. */
  listOpen(socket: Duplex): ReadonlySet<ServerResponse> {
    return this.#bySocket.get(socket) ?? NONE
  }

  /** Resolves when all have ended. */
  async waitForEnd(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onAllEnded = resolve
    for (const response of this.#all) response.shouldKeepAlive = false
    if (this.#all.size > 0) await promise
  }
}

const NONE: ReadonlySet<ServerResponse> = new Set()
