// Waiting for what must become true, with a deadline and the last reason why it was not.

import { setTimeout as wait } from 'node:timers/promises'

const FIRST_STEP_MS = 10
const LAST_STEP_MS = 200
const GROWTH = 1.3
const PRESET_MS = 15_000

/**
 * Asks again and again until the probe answers something truthy, and answers that.
 * A probe that throws is called again too; its last error is the cause when the deadline (`within`, in ms) is over.
 */
export async function until<T>(
  probe: () => T | Promise<T>,
  { within = PRESET_MS }: { within?: number } = {},
): Promise<NonNullable<Exclude<T, false | 0 | ''>>> {
  const deadline = performance.now() + within
  let step = FIRST_STEP_MS
  let reason: unknown = 'it never became true'
  for (;;) {
    try {
      const value = await probe()
      if (value) return value as NonNullable<Exclude<T, false | 0 | ''>>
    } catch (error) {
      reason = error
    }
    if (performance.now() > deadline) throw new Error(`not within ${within} ms: ${reason}`, { cause: reason })
    await wait(step)
    // Many that wait at once must not be the load that they wait for.
    step = Math.min(step * GROWTH, LAST_STEP_MS)
  }
}
