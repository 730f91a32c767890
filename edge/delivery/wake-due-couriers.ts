// Wakes the couriers that have something due. After an outage that may be all of them, so a few are woken at a time.

import { Coalescer } from '@msgnet/shared/coalescer.ts'
import { MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import type { Env } from '../settings/env.ts'
import { openStore } from '../store/database/open-store.ts'
import { listInstancesDue } from '../store/events/due-instances.ts'
import { waitForCourier } from './notify-couriers.ts'

/** Couriers that one pass runs at the same time. More are not faster, and delay the new events of others. */
const MAX_CONCURRENT = 16
/** A courier with a slow receiver continues by itself after this, and the next one is woken. */
const MAX_WAIT = SECOND
const PAGE = 500
/** Up to the next tick: an alarm for that time may be missing if the machine stopped before it was written. */
const AHEAD = MINUTE
/** If a pass did nothing for this long, the request that ran it has ended, and another pass may begin. */
const STALLED_MS = 10 * SECOND

// One pass at a time an isolate; requests during it cause one more pass after it.
const wakePass = new Coalescer(wakeInPages, STALLED_MS)

/** Resolves when all couriers with something due were woken, or at once if a pass is running already. */
export async function wakeDueCouriers(env: Env): Promise<void> {
  await wakePass.startUnlessRunning(env)
}

async function wakeInPages(onProgress: () => void, env: Env): Promise<void> {
  const store = openStore(env)
  for (let after = ''; ; ) {
    onProgress()
    const page = await listInstancesDue(store, Date.now() + AHEAD, after, PAGE)
    after = page.at(-1) ?? ''
    await Promise.all(Array.from({ length: MAX_CONCURRENT }, () => wakeOneByOne(env, page, onProgress)))
    if (!after) return
  }
}

async function wakeOneByOne(env: Env, waiting: string[], onProgress: () => void): Promise<void> {
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    onProgress()
    await waitForCourier(env, next, MAX_WAIT)
  }
}
