// Guards every call to the store: limits its time, retries while a short lock lasts, and records its failure.

import { SECOND } from '../../shared/date-time.ts'
import { withDeadline } from '../../shared/deadline.ts'
import { type Clock, machineClock } from '../machine-clock.ts'
import { findStoreFault, StoreFault } from './store-fault.ts'

/** The library holds a session's lock while it waits for us: a call that never ends would block every send forever. */
const MAX_CALL_MS = 10 * SECOND
const MAX_LOCKED_MS = 5 * SECOND
/**
 * After 1 ms, 2, 4 and so on, at most 25. At equal intervals a commit could meet each of the short locks of a writer that
 * takes one as regularly, as the forgetting of old messages does: commits then waited for 150 ms and more.
 */
const MIN_RETRY_MS = 1
const MAX_RETRY_MS = 25

export interface Guard {
  /** The fault of the last failed call; a write that succeeds clears it. */
  readonly fault: StoreFault | undefined
  /** Throws StoreFault for a fault of the store, and other errors of `call` unchanged. */
  runRead<Value>(call: Call<Value>): Promise<Value>
  runWrite<Value>(call: Call<Value>): Promise<Value>
}

/** A synchronous answer needs no limit. */
type Call<Value> = () => Value | Promise<Value>

export function createGuard(clock: Clock = machineClock): Guard {
  let fault: StoreFault | undefined

  async function runGuarded<Value>(call: Call<Value>): Promise<Value> {
    let lockedSince: number | undefined
    for (let retry = MIN_RETRY_MS; ; retry = Math.min(2 * retry, MAX_RETRY_MS)) {
      try {
        const answer = call()
        return answer instanceof Promise ? await withDeadline(answer, MAX_CALL_MS, throwUnresponsive) : answer
      } catch (error) {
        const found = findStoreFault(error)
        if (!found) throw error
        lockedSince ??= clock.now()
        if (found.kind !== 'locked' || clock.now() > lockedSince + MAX_LOCKED_MS) {
          fault = found
          throw found
        }
      }
      await new Promise<void>((resolve) => void clock.runAfter(retry, resolve))
    }
  }

  return {
    get fault() {
      return fault
    },
    runRead: runGuarded,
    async runWrite(call) {
      const value = await runGuarded(call)
      fault = undefined
      return value
    },
  }
}

function throwUnresponsive(): never {
  throw new StoreFault('silent')
}
