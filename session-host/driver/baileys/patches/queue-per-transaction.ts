// Patch: work on a Signal session runs in its caller's async context, also when other devices have work queued.

import { AsyncLocalStorage } from 'node:async_hooks'
import { libsignal, type Patch } from './patch.ts'

type Work<Value> = () => Promise<Value>
type Storage = Record<string, (...args: unknown[]) => unknown>

/** The parts of libsignal's classes that their types leave out. */
interface Cipher {
  queueJob<Value>(work: Work<Value>): Promise<Value>
}
interface Builder {
  storage: Storage
  initOutgoing(device: unknown): Promise<void>
}

const cipher = libsignal.SessionCipher.prototype as unknown as Cipher
const builder = libsignal.SessionBuilder.prototype as unknown as Builder
const initOutgoing = builder.initOutgoing

/** The same storage, with every call bound to this async context, and so to this transaction. */
function bindToContext(storage: Storage): Storage {
  const context = AsyncLocalStorage.snapshot()
  return new Proxy(storage, {
    get: (target, name: string) => {
      const call = target[name]?.bind(target)
      return call && ((...args: unknown[]) => context(call, ...args))
    },
  })
}

/** The queue is not needed: `createRatchets` runs one operation at a time on a session. */
function bypassSharedQueues(): void {
  cipher.queueJob = (work) => work()
  builder.initOutgoing = function (device) {
    const own: Builder = Object.create(this, { storage: { value: bindToContext(this.storage) } })
    return initOutgoing.call(own, device)
  }
}

export const queuePerTransaction: Patch = {
  name: 'queue-per-transaction',
  library: 'libsignal@6.0.0',
  fault:
    'queueJob has one queue for each address in the whole process, and runs all jobs of a queue in the async context of its first job.',
  why: 'With two devices in one process that hear from the same person, the changes of one missed their transaction: on disk without the message that they go with, or not at all.',
  upstream:
    'To file with WhiskeySockets/libsignal-node: "queueJob loses the AsyncLocalStorage context of its caller, and its buckets are shared by all storages of a process". With two ciphers for one address under two contexts, the second of which sees the first one\'s store.',
  until: 'libsignal keeps its queues for each storage and binds each job to its caller (AsyncResource.bind).',
  apply: bypassSharedQueues,
}
