// Guards every call to the store: limits its time, retries while a short lock lasts, and records its failure.

import { SECOND } from '../../shared/clock.ts'
import { withDeadline } from '../../shared/deadline.ts'
import { type Clock, machineClock } from '../clock.ts'
import { StoreFault, storeFaultIn } from './fault.ts'

/** The library holds a session's lock while it waits for us: a call that never ends would block every send forever. */
const ANSWER_WITHIN_MS = 10 * SECOND
const LOCKED_MS = 5 * SECOND
/**
 * After 1 ms, 2, 4 and so on, at most 25. At equal intervals a commit could meet each of the short locks of a writer that
 * takes one as regularly, as the forgetting of old messages does: commits then waited for 150 ms and more.
 */
const FIRST_RETRY_MS = 1
const LAST_RETRY_MS = 25

export interface Guard {
  /** The fault of the last failed call; a write that succeeds clears it. */
  readonly fault: StoreFault | undefined
  /** Throws StoreFault for a fault of the store, and other errors of `call` unchanged. */
  reading<Value>(call: Call<Value>): Promise<Value>
  writing<Value>(call: Call<Value>): Promise<Value>
}

/** A synchronous answer needs no limit. */
type Call<Value> = () => Value | Promise<Value>

export function makeGuard(clock: Clock = machineClock): Guard {
  let fault: StoreFault | undefined

  async function run<Value>(call: Call<Value>): Promise<Value> {
    let lockedSince: number | undefined
    for (let retry = FIRST_RETRY_MS; ; retry = Math.min(2 * retry, LAST_RETRY_MS)) {
      try {
        const answer = call()
        return answer instanceof Promise ? await withDeadline(answer, ANSWER_WITHIN_MS, silent) : answer
      } catch (thrown) {
        const found = storeFaultIn(thrown)
        if (!found) throw thrown
        lockedSince ??= clock.now()
        if (found.kind !== 'locked' || clock.now() > lockedSince + LOCKED_MS) {
          fault = found
          throw found
        }
      }
      await new Promise<void>((resolve) => void clock.after(retry, resolve))
    }
  }

  return {
    get fault() {
      return fault
    },
    reading: run,
    async writing(call) {
      const value = await run(call)
      fault = undefined
      return value
    },
  }
}

function silent(): never {
  throw new StoreFault('silent')
}
