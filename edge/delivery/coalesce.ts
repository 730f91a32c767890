// Requests for the same work, coalesced: it is done again for whoever asked while it was under way, and never twice at a time.

export class Coalesced {
  readonly #work: () => Promise<void>
  #asked = 0
  #running: Promise<void> | undefined

  constructor(work: () => Promise<void>) {
    this.#work = work
  }

  /** Resolves when nobody has asked since the work began. */
  run(): Promise<void> {
    this.#asked++
    this.#running ??= this.#runAll()
    return this.#running
  }

  async #runAll(): Promise<void> {
    try {
      for (let seen = -1; seen !== this.#asked; ) {
        seen = this.#asked
        await this.#work()
      }
    } finally {
      // In the same breath as the last look at what was asked: nobody can ask in between and be missed.
      this.#running = undefined
    }
  }
}
