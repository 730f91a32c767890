// Every call to the store passes here: it ends within a limit, waits out a short lock, and is known when it fails.

import { setTimeout as wait } from 'node:timers/promises'
import { SECOND } from '../../shared/clock.ts'
import { withDeadline } from '../../shared/deadline.ts'
import { StoreFault, storeFaultIn } from './fault.ts'

/** The library holds a session's lock while it waits for us: a call without an end would wedge every send for good. */
const ANSWER_WITHIN_MS = 10 * SECOND
const LOCKED_MS = 5 * SECOND
const ASK_AGAIN_MS = 25

export interface Guard {
  /** What the last call failed of; a write that succeeds ends it. */
  readonly fault: StoreFault | undefined
  /** Throws StoreFault where the store is at fault, and whatever else `call` throws. */
  reading<Value>(call: Call<Value>): Promise<Value>
  writing<Value>(call: Call<Value>): Promise<Value>
}

/** What answers at once needs no limit. */
type Call<Value> = () => Value | Promise<Value>

export function makeGuard(): Guard {
  let fault: StoreFault | undefined

  async function run<Value>(call: Call<Value>): Promise<Value> {
    let lockedSince: number | undefined
    for (;;) {
      try {
        const answer = call()
        return answer instanceof Promise ? await withDeadline(answer, ANSWER_WITHIN_MS, silent) : answer
      } catch (thrown) {
        const found = storeFaultIn(thrown)
        if (!found) throw thrown
        lockedSince ??= performance.now()
        if (found.kind !== 'locked' || performance.now() > lockedSince + LOCKED_MS) {
          fault = found
          throw found
        }
      }
      await wait(ASK_AGAIN_MS)
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
