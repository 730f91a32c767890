// Apart from host-session.ts, which is long enough: why a session gets no further connection from this host, for those that wait for one.

import type { NoConnection } from '../driver/request-tracking.ts'

export class SessionEnd {
  #reason: NoConnection | undefined
  readonly #listeners = new Set<() => void>()

  get reason(): NoConnection | undefined {
    return this.#reason
  }

  set(reason: NoConnection | undefined): void {
    this.#reason = reason
    for (const listener of [...this.#listeners]) listener()
  }

  /** Returns a function that ends the subscription. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
