// Wakes the couriers that have something due. After an outage that may be all of them, so a few are woken at a time.

import { MINUTE, SECOND } from '../../shared/clock.ts'
import { coalesce } from '../../shared/coalesce.ts'
import type { Env } from '../env.ts'
import { openStore } from '../store/database/database.ts'
import { instancesDue } from '../store/events/deliveries.ts'
import { awaitCourier } from './wake.ts'

/** Couriers that one pass runs at the same time. More are not faster, and delay the new events of others. */
const AT_ONCE = 16
/** A courier with a slow receiver goes on by itself after this, and the next one takes its place. */
const PATIENCE = SECOND
const PAGE = 500
/** Up to the next tick: an alarm for that time may be lost if the machine stopped before it was written. */
const AHEAD = MINUTE
/** If a pass did nothing for this long, the request that ran it has ended, and another pass may begin. */
const LED_FOR = 10 * SECOND

// One pass at a time an isolate; requests during it cause one more pass after it.
const pass = coalesce(wakeAll, LED_FOR)

/** Resolves when all couriers with something due were woken, or at once if a pass is running already. */
export async function wakeDue(env: Env): Promise<void> {
  await pass.lead(env)
}

async function wakeAll(goesOn: () => void, env: Env): Promise<void> {
  const store = openStore(env)
  for (let after = ''; ; ) {
    goesOn()
    const page = await instancesDue(store, Date.now() + AHEAD, after, PAGE)
    after = page.at(-1) ?? ''
    await Promise.all(Array.from({ length: AT_ONCE }, () => wakeEach(env, page, goesOn)))
    if (!after) return
  }
}

async function wakeEach(env: Env, waiting: string[], goesOn: () => void): Promise<void> {
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    goesOn()
    await awaitCourier(env, next, PATIENCE)
  }
}
