// The lease, a host's right to its sessions: granted by the edge's welcome, extended by answered beats, measured in monotonic time.

import type { Cancel, Clock } from './machine-clock.ts'

/** The unused part of a lease: 5 s of 30. Our sockets are closed well before another host may take over. */
const MARGIN = 1 / 6

/** Times are those of the clock. */
export class Lease {
  readonly #clock: Clock
  #length = 0
  #until = Number.NEGATIVE_INFINITY
  #cancel: Cancel | undefined
  readonly #listeners: (() => void)[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * True while the lease runs. Checked before anything is begun, read, sent or written: a process that was frozen reads
   * its sockets before any of its timers runs.
   */
  get runs(): boolean {
    return this.#clock.now() < this.#until
  }

  /** Called for a welcome to a hello that was sent at `sentAt`. Returns false if this lease or the one before has ended already. */
  grant(sentAt: number, leaseMs: number): boolean {
    // The lease had ended before its timer ran: the sockets are still open, and their frames were dropped meanwhile.
    if (this.#until > Number.NEGATIVE_INFINITY && !this.runs) {
      this.#end()
      return false
    }
    this.#length = leaseMs * (1 - MARGIN)
    this.#until = sentAt + this.#length
    this.#scheduleEnd()
    return this.runs
  }

  /** Called for the answer to a beat that was sent at `sentAt`. An ended lease is not extended: only a welcome grants a new one. */
  extend(sentAt: number): void {
    if (!this.runs) return
    this.#until = Math.max(this.#until, sentAt + this.#length)
    this.#scheduleEnd()
  }

  /** Adds a listener that is called each time the lease ends. */
  onEnd(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** Gives the lease up, because the process ends. */
  stop(): void {
    this.#cancel?.()
    this.#until = Number.NEGATIVE_INFINITY
  }

  #end(): void {
    this.stop()
    for (const listener of this.#listeners) listener()
  }

  #scheduleEnd(): void {
    this.#cancel?.()
    const ms = this.#until - this.#clock.now()
    this.#cancel = this.#clock.runAfter(ms, () => (this.runs ? this.#scheduleEnd() : this.#end()))
  }
}
