// Work that continues after its transaction has ended reads and writes the store directly, outside any transaction.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { SignalKeyStoreWithTransaction } from 'baileys'

/**
 * Changes `keys`. The library begins some work inside a transaction and does not wait for it. Its later writes go to a
 * transaction that is committed already, and are lost: a contact got a new token with each message, because the time
 * of the last one was never stored.
 */
export function escapeEndedTransactions(keys: SignalKeyStoreWithTransaction): void {
  const { get, set, transaction, isInTransaction } = keys
  const outside = AsyncLocalStorage.snapshot()
  const current = new AsyncLocalStorage<{ ended: boolean }>()
  const runOutsideEnded = <Value>(call: () => Value): Value =>
    current.getStore()?.ended ? outside(call) : call()

  Object.assign(keys, {
    get: (...asked) => runOutsideEnded(() => get(...asked)),
    set: (data) => runOutsideEnded(() => set(data)),
    isInTransaction: () => runOutsideEnded(isInTransaction),
    transaction: (work, key) =>
      runOutsideEnded(() => {
        // A nested transaction is part of the outer one.
        if (current.getStore()) return transaction(work, key)
        const state = { ended: false }
        const end = () => {
          state.ended = true
        }
        return current.run(state, () => transaction(() => work().finally(end), key))
      }),
  } satisfies SignalKeyStoreWithTransaction)
}
