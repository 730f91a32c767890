// Detects sockets that look open and are dead: no frame arrives, or no sent message is acknowledged.

import { SECOND } from '@msgnet/shared/date-time.ts'
import type { Cancel, Clock } from '../../../process/machine-clock.ts'

/** The library sends a keep-alive this often while no other frame arrives. */
export const KEEP_ALIVE_MS = 15 * SECOND
/** The interval of a keep-alive, plus the time for its response. */
const UNRESPONSIVE_MS = KEEP_ALIVE_MS + 7 * SECOND
/** Sends in a row without an acknowledgement before their deadline. */
const MAX_UNACKNOWLEDGED = 3

export class Liveness {
  readonly #clock: Clock
  readonly #onDead: (reason: string) => void
  #receivedAt: number
  #unacknowledged = 0
  #cancel: Cancel = () => undefined

  /** `onDead` is called once, with the reason, when the socket has to be closed. */
  constructor(clock: Clock, onDead: (reason: string) => void) {
    this.#clock = clock
    this.#onDead = onDead
    this.#receivedAt = clock.now()
    this.#scheduleCheck()
  }

  /** A frame has arrived. */
  recordFrame(): void {
    this.#receivedAt = this.#clock.now()
  }

  /** A send has ended, with an acknowledgement or without. */
  recordSend(acknowledged: boolean): void {
    this.#unacknowledged = acknowledged ? 0 : this.#unacknowledged + 1
    if (this.#unacknowledged === MAX_UNACKNOWLEDGED)
      this.#declareDead('the network acknowledges nothing any more')
  }

  stop(): void {
    this.#cancel()
  }

  /** Not every second: with a thousand sessions that woke the process a thousand times a second. */
  #scheduleCheck(): void {
    const left = this.#receivedAt + UNRESPONSIVE_MS - this.#clock.now()
    if (left <= 0) this.#declareDead('the network does not respond any more')
    else this.#cancel = this.#clock.runAfter(left, () => this.#scheduleCheck())
  }

  #declareDead(reason: string): void {
    this.stop()
    this.#onDead(reason)
  }
}
