// Work that goes on after its transaction has ended: what it reads and writes is the store's, in no transaction.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { SignalKeyStoreWithTransaction } from 'baileys'

/**
 * Changes `keys`. The library begins some work inside a transaction and does not wait for it. What that writes later goes to a
 * transaction that is committed already, which is nowhere: so a contact was given a new token with each message, because the time
 * of the last one was never kept.
 */
export function leaveEndedTransactions(keys: SignalKeyStoreWithTransaction): void {
  const { get, set, transaction, isInTransaction } = keys
  const outside = AsyncLocalStorage.snapshot()
  const current = new AsyncLocalStorage<{ ended: boolean }>()
  const placed = <Value>(call: () => Value): Value => (current.getStore()?.ended ? outside(call) : call())

  Object.assign(keys, {
    get: (...asked) => placed(() => get(...asked)),
    set: (data) => placed(() => set(data)),
    isInTransaction: () => placed(isInTransaction),
    transaction: (work, key) =>
      placed(() => {
        // One inside another is the same, and ends with it.
        if (current.getStore()) return transaction(work, key)
        const mine = { ended: false }
        const end = () => {
          mine.ended = true
        }
        return current.run(mine, () => transaction(() => work().finally(end), key))
      }),
  } satisfies SignalKeyStoreWithTransaction)
}
