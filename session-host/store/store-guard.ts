// Guards every call to the store: limits its time, retries while a short lock lasts, and records its failure.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { withDeadline } from '@msgnet/shared/deadline.ts'
import { type Clock, machineClock } from '../process/machine-clock.ts'
import { findStoreFault, StoreFault } from '../process/store-fault.ts'

/** The library holds a session's lock while it waits for us: a call that never ends would block every send forever. */
const MAX_CALL_MS = 10 * SECOND
const MAX_LOCKED_MS = 5 * SECOND
/**
 * After 1 ms, 2, 4 and so on, at most 25. At equal intervals a commit could meet each of the short locks of a writer that
 * takes one as regularly, as the forgetting of old messages does: commits then waited for 150 ms and more.
 */
const MIN_RETRY_MS = 1
const MAX_RETRY_MS = 25

/** A synchronous call needs no limit. */
type Call<Value> = () => Value | Promise<Value>

export class Guard {
  readonly #clock: Clock
  #fault: StoreFault | undefined

  constructor(clock: Clock = machineClock) {
    this.#clock = clock
  }

  /** The fault of the last failed call; a write that succeeds clears it. */
  get fault(): StoreFault | undefined {
    return this.#fault
  }

  /** Throws StoreFault for a fault of the store, and other errors of `call` unchanged. */
  async runRead<Value>(call: Call<Value>): Promise<Value> {
    let lockedSince: number | undefined
    for (let retry = MIN_RETRY_MS; ; retry = Math.min(2 * retry, MAX_RETRY_MS)) {
      try {
        const value = call()
        return value instanceof Promise ? await withDeadline(value, MAX_CALL_MS, throwUnresponsive) : value
      } catch (error) {
        const fault = findStoreFault(error)
        if (!fault) throw error
        lockedSince ??= this.#clock.now()
        if (fault.kind !== 'locked' || this.#clock.now() > lockedSince + MAX_LOCKED_MS) {
          this.#fault = fault
          throw fault
        }
      }
      await new Promise<void>((resolve) => void this.#clock.runAfter(retry, resolve))
    }
  }

  /** The same for a write. */
  async runWrite<Value>(call: Call<Value>): Promise<Value> {
    const value = await this.runRead(call)
    this.#fault = undefined
    return value
  }
}

function throwUnresponsive(): never {
  throw new StoreFault('unresponsive')
}
