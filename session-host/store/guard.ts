// Every call to the store passes here: it ends within a limit, waits out a short lock, and is known when it fails.

import { setTimeout as wait } from 'node:timers/promises'
import { SECOND } from '../../shared/clock.ts'
import { StoreFault, storeFaultIn } from './fault.ts'

/** The library holds a session's lock while it waits for us: a call without an end would wedge every send for good. */
const ANSWER_WITHIN_MS = 10 * SECOND
const LOCKED_MS = 5 * SECOND
const ASK_AGAIN_MS = 25

export interface Guard {
  /** What the last call failed of; a write that succeeds ends it. */
  readonly fault: StoreFault | undefined
  /** Throws StoreFault where the store is at fault, and whatever else `call` throws. */
  reading<Value>(call: () => Promise<Value>): Promise<Value>
  writing<Value>(call: () => Promise<Value>): Promise<Value>
}

/** `unlock` is called before a call that found the store locked is made again. */
export function makeGuard(unlock: () => Promise<void>): Guard {
  let fault: StoreFault | undefined

  async function run<Value>(call: () => Promise<Value>): Promise<Value> {
    const until = performance.now() + LOCKED_MS
    for (;;) {
      try {
        return await inTime(call())
      } catch (thrown) {
        const found = storeFaultIn(thrown)
        if (!found) throw thrown
        if (found.kind !== 'locked' || performance.now() > until) {
          fault = found
          throw found
        }
      }
      await wait(ASK_AGAIN_MS)
      await unlock()
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

async function inTime<Value>(answer: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new StoreFault('silent')), ANSWER_WITHIN_MS)
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
