// Work that continues after its transaction has ended reads and writes the store directly, outside any transaction.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { SignalKeyStoreWithTransaction } from 'baileys'

/**
 * Changes `keys`. The library begins some work inside a transaction and does not wait for it. Its later writes go to a
 * transaction that is committed already, and are lost: a contact got a new token with each message, because the time
 * of the last one was never stored.
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
        // A nested transaction is part of the outer one.
        if (current.getStore()) return transaction(work, key)
        const mine = { ended: false }
        const end = () => {
          mine.ended = true
        }
        return current.run(mine, () => transaction(() => work().finally(end), key))
      }),
  } satisfies SignalKeyStoreWithTransaction)
}
