// The last connection attempts of a session, counted as far as the wait before the next one depends on them.

import { type AttemptEnding, countFailuresAfterLogin, type Standing } from './reconnect-policy.ts'

export class AttemptHistory {
  #failures = 0
  /** How the last socket ended, and how many in a row ended like it. */
  #streak: { kind: AttemptEnding; length: number } | undefined
  /** Counted apart: the network saw nothing of these attempts. */
  #storeFailures = 0

  /** Counts an attempt that ended in this way. Returns the counts before it. */
  recordEnding(kind: AttemptEnding): Pick<Standing, 'failures' | 'alike'> {
    if (kind === 'store_failed') return { failures: this.#failures, alike: this.#storeFailures++ }
    const alike = this.#streak?.kind === kind ? this.#streak.length : 0
    this.#streak = { kind, length: alike + 1 }
    return { failures: this.#failures++, alike }
  }

  /** Counts an attempt that failed with an error outside the table of endings. Returns how many have failed in a row. */
  recordFailure(): number {
    this.#failures += 1
    return this.#failures
  }

  /** Our own store returned everything that the attempt needs. */
  recordStoreSuccess(): void {
    this.#storeFailures = 0
  }

  recordLogin(): void {
    this.#failures = countFailuresAfterLogin(this.#failures)
  }

  /** Sets the counts to zero. */
  resetCounts(): void {
    this.#failures = 0
    this.#streak = undefined
  }
}
