// Waking whoever has something due: after an outage that may be everybody, so it is done a few at a time.

import { MINUTE, SECOND } from '../../shared/clock.ts'
import { coalesce } from '../../shared/coalesce.ts'
import type { Env } from '../env.ts'
import { openStore } from '../store/database/database.ts'
import { instancesDue } from '../store/events/deliveries.ts'
import { awaitCourier } from './wake.ts'

/** Couriers that one pass has at work at the same time. More are no faster together, and new events of others wait behind them. */
const AT_ONCE = 16
/** A courier whose receiver lets it wait goes on by itself, and its place goes to the next. */
const PATIENCE = SECOND
const PAGE = 500
/** As far as the next tick: an alarm for that time may be lost, if the machine stopped before it was written. */
const AHEAD = MINUTE
/** The request that led a pass has ended when the pass did nothing for so long: another may begin. */
const LED_FOR = 10 * SECOND

// One pass at a time an isolate; whoever asks meanwhile is served by another after it.
const pass = coalesce(wakeAll, LED_FOR)

/** Resolves once everybody who has something due was woken, or at once while that is under way. */
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
