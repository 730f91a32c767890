// Apart from host-session.ts, which is long enough: why a session gets no further connection from this host, for those that wait for one.

import type { Connection } from '../driver/driver.ts'
import type { NoConnection } from '../driver/request-tracking.ts'
import type { StoredState } from './stored-state.ts'

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

  /** The next connection after `previous`, or why there is none. */
  async waitForNetwork(
    session: { readonly network: Connection | undefined; readonly state: StoredState },
    previous: Connection | undefined,
    deadline: AbortSignal,
  ): Promise<Connection | NoConnection> {
    const { promise, resolve } = Promise.withResolvers<Connection | NoConnection>()
    const check = () => {
      const { network, state } = session
      if (this.#reason) resolve(this.#reason)
      else if (network && network !== previous) resolve(network)
      else if (state.now.status === 'disconnected') resolve('ended')
    }
    const onAbort = () => resolve('too late')
    const unsubscribes = [session.state.onChange(check), this.#onChange(check)]
    deadline.addEventListener('abort', onAbort, { once: true })
    check()
    if (deadline.aborted) onAbort()
    return promise.finally(() => {
      for (const unsubscribe of unsubscribes) unsubscribe()
      deadline.removeEventListener('abort', onAbort)
    })
  }

  /** Returns a function that ends the subscription. */
  #onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
