// Apart from simulated-network.ts, because it is not stored: which phones are online, and when an account was seen last.

export class PhonePresences {
  readonly #online = new Set<string>()
  readonly #lastSeen = new Map<string, number>()

  setAvailable(number: string, available: boolean) {
    if (available) this.#online.add(number)
    else this.#online.delete(number)
  }

  isAvailable(number: string): boolean {
    return this.#online.has(number)
  }

  /** Called when the account is not online any more, on any device. */
  recordLeaving(number: string) {
    this.#lastSeen.set(number, Date.now())
  }

  /** In milliseconds; undefined if it was never online. */
  findLastSeen(number: string): number | undefined {
    return this.#lastSeen.get(number)
  }

  clear() {
    this.#online.clear()
    this.#lastSeen.clear()
  }
}
