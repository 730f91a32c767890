// Work on a Signal session belongs to the transaction of whoever asked for it, whatever other devices do meanwhile.

import { AsyncLocalStorage } from 'node:async_hooks'
import { SessionBuilder, SessionCipher } from 'libsignal'

type Work<Value> = () => Promise<Value>
type Storage = Record<string, (...args: unknown[]) => unknown>

/** What their types do not tell of libsignal's classes. */
interface Cipher {
  queueJob<Value>(work: Work<Value>): Promise<Value>
}
interface Builder {
  storage: Storage
  initOutgoing(device: unknown): Promise<void>
}

const cipher = SessionCipher.prototype as unknown as Cipher
const builder = SessionBuilder.prototype as unknown as Builder
const initOutgoing = builder.initOutgoing

/** The same, with every call made where this one is: in this transaction. */
function fromHere(storage: Storage): Storage {
  const here = AsyncLocalStorage.snapshot()
  return new Proxy(storage, {
    get: (target, name: string) => {
      const call = target[name]?.bind(target)
      return call && ((...args: unknown[]) => here(call, ...args))
    },
  })
}

/**
 * libsignal 6 has one queue for each person for the whole process, and runs all of it as if the first in it had asked
 * for it. With two devices here that hear from the same person the changes of one would miss their transaction, and be
 * on disk without the message that they go with, or not at all. `makeRatchets` lets one at a time work on a session.
 */
export function leaveSharedQueues(): void {
  cipher.queueJob = (work) => work()
  builder.initOutgoing = function (device) {
    const own: Builder = Object.create(this, { storage: { value: fromHere(this.storage) } })
    return initOutgoing.call(own, device)
  }
}
