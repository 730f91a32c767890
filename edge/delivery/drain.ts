// One of an instance's queues, drained as far as it is due: the ordered one event after another.

import { type Env, webhooksOn } from '../env.ts'
import { openStore } from '../store/database.ts'
import { activeDestination, nextInQueue, type Queue } from '../store/deliveries.ts'
import { persist } from '../store/persist.ts'
import { attempt } from './attempt.ts'

/** Events read at once: few at first, and more where all of them can be used while they are fresh. */
const FIRST_PAGE = 4
const LARGEST_PAGE = 32
/** What is read of the subscription holds so long: a change of the global webhook tells nobody. */
const FRESH_FOR = 250

/**
 * Answers when to look again, undefined when nothing waits. `changes` counts changes of the instance's own
 * subscription: after one, nothing goes out by what was read before.
 */
export async function drainQueue(
  env: Env,
  instanceId: string,
  queue: Queue,
  changes: () => number,
): Promise<number | undefined> {
  if (!webhooksOn(env)) return undefined
  const store = openStore(env)
  let soonest: number | undefined
  const stop = (at: number | undefined) => (at === undefined ? soonest : Math.min(at, soonest ?? at))
  for (let size = FIRST_PAGE; ; ) {
    const before = changes()
    const [destined, page] = await Promise.all([
      activeDestination(store, instanceId),
      nextInQueue(store, instanceId, queue, size),
    ])
    if (!destined || page.length === 0) return stop(undefined)
    const readAt = Date.now()
    let used = 0
    for (const event of page) {
      const due = event.nextAttemptAt ?? 0
      if (due > Date.now()) return stop(due)
      if (changes() !== before || Date.now() - readAt > FRESH_FOR) break
      const { statements, retryAt, blocks, halt } = await attempt(env, store, destined, event)
      // Before the next goes out: after a kill an instance repeats the one event that this had not yet told of.
      await persist(store, statements)
      if (halt) return undefined
      if (queue === 'ordered' && blocks) return stop(retryAt)
      soonest = stop(retryAt)
      used++
    }
    // There was no more when it was read; whoever has brought any since has asked for another pass.
    if (used === page.length && page.length < size) return stop(undefined)
    size = used < page.length ? Math.max(1, used) : Math.min(2 * size, LARGEST_PAGE)
  }
}
