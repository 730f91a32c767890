// Apart from stanza-turns.ts, because it only reads or does not: a socket is paused while too much of what it has read waits, and the rest waits in
// the network.

import type { WASocket } from 'baileys'
import { getWebSocket } from './frame-guards.ts'

/** In bytes of stanzas. Above it nothing is read until half of it has been handled. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024
/** What a stanza takes in memory beside its contents. */
const MIN_STANZA_BYTES = 4 * 1024
/** While the socket is not read, so often it is asked whether a response is expected. */
const CHECK_MS = 50

export class PausedReads {
  readonly #sock: WASocket
  /** The library forgets it when the socket ends. */
  readonly #socket: ReturnType<typeof getWebSocket>
  readonly #isExpecting: () => boolean
  #waitingBytes = 0
  #timer: NodeJS.Timeout | undefined

  /** `isExpecting`: whether an acknowledgement is expected. */
  constructor(sock: WASocket, isExpecting: () => boolean) {
    this.#sock = sock
    this.#isExpecting = isExpecting
    this.#socket = getWebSocket(sock)
  }

  addStanza(bytes: number): void {
    this.#waitingBytes += Math.max(bytes, MIN_STANZA_BYTES)
    if (this.#timer || this.#waitingBytes <= MAX_WAITING_BYTES) return
    this.#timer = setInterval(() => this.#pauseOrRead(), CHECK_MS).unref()
    this.#pauseOrRead()
  }

  removeStanza(bytes: number): void {
    this.#waitingBytes -= Math.max(bytes, MIN_STANZA_BYTES)
    if (this.#waitingBytes <= MAX_WAITING_BYTES / 2) this.stop()
  }

  /** Reads again. A socket that is not read would not notice its end. */
  stop(): void {
    if (!this.#timer) return
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#socket.resume()
  }

  /** What is under way may wait for a response that lies behind what waits, as does a send for its acknowledgement: then all is read. */
  #pauseOrRead(): void {
    if (this.#isExpecting() || this.#hasQueries()) this.#socket.resume()
    else this.#socket.pause()
  }

  /** The library listens to the id of each query until it has its response. */
  #hasQueries(): boolean {
    return this.#sock.ws.eventNames().some((name) => String(name).startsWith('TAG:'))
  }
}
