// One of an instance's queues, drained as far as it is due: the ordered one event after another.

import { type Env, webhooksOn } from '../env.ts'
import { openStore, type Store } from '../store/database.ts'
import { activeDestination, nextInQueue, type Queue } from '../store/deliveries.ts'
import type { Destined, DueEvent, Handed } from '../store/due.ts'
import { persist } from '../store/persist.ts'
import { type Arrivals, FRESH_FOR } from './arrivals.ts'
import { attempt } from './attempt.ts'

/** Events read at once: few at first, and more where all of them can be used while they are fresh. */
const FIRST_PAGE = 4
const LARGEST_PAGE = 32

interface Due {
  destined: Destined | undefined
  events: DueEvent[]
  /** When this was true. */
  at: number
  /** Nothing else is due, unless it was brought since. */
  complete: boolean
}

/** Answers when to look again, undefined when nothing waits. After a change of `arrivals` nothing goes out by what was read before. */
export async function drainQueue(
  env: Env,
  instanceId: string,
  queue: Queue,
  arrivals: Arrivals<Handed>,
): Promise<number | undefined> {
  if (!webhooksOn(env)) return undefined
  const store = openStore(env)
  const ordered = queue === 'ordered'
  let soonest: number | undefined
  const sooner = (at: number | undefined) => (at === undefined ? soonest : Math.min(at, soonest ?? at))
  /** With something left in the queue. */
  const leave = (at: number | undefined) => {
    if (ordered) arrivals.readNext()
    return at
  }
  for (let size = FIRST_PAGE; ; ) {
    const { version } = arrivals
    const due = ordered
      ? await nextInOrder(store, instanceId, size, arrivals)
      : await readDue(store, instanceId, queue, size)
    if (!due || (due.destined && due.events.length === 0)) return soonest
    const { destined, events, at, complete } = due
    if (!destined) return leave(soonest)
    let used = 0
    for (const event of events) {
      const dueAt = event.nextAttemptAt ?? 0
      if (dueAt > Date.now()) return leave(sooner(dueAt))
      if (arrivals.version !== version || Date.now() - at > FRESH_FOR) break
      const { statements, retryAt, blocks, halt } = await attempt(env, store, destined, event)
      // Before the next goes out: after a kill an instance repeats the one event that this had not yet told of.
      await persist(store, statements)
      if (halt) return leave(undefined)
      if (ordered && blocks) return leave(sooner(retryAt))
      soonest = sooner(retryAt)
      used++
    }
    // Whoever has brought any since has handed them over, or has asked for another pass.
    if (used === events.length && complete && !ordered) return soonest
    if (used < events.length || !complete) leave(undefined)
    size = used < events.length ? Math.max(1, used) : Math.min(2 * size, LARGEST_PAGE)
  }
}

/** What was handed over, as long as that is all there is; undefined when everything has been taken up. */
async function nextInOrder(
  store: Store,
  instanceId: string,
  size: number,
  arrivals: Arrivals<Handed>,
): Promise<Due | undefined> {
  const handed = arrivals.take(Date.now())
  if (handed) return { ...handed, complete: true }
  if (!arrivals.mustRead) return undefined
  const { version } = arrivals
  arrivals.reads()
  const due = await readDue(store, instanceId, 'ordered', size)
  if (arrivals.version === version) arrivals.taken(due.events)
  return due
}

async function readDue(store: Store, instanceId: string, queue: Queue, size: number): Promise<Due> {
  const [destined, events] = await Promise.all([
    activeDestination(store, instanceId),
    nextInQueue(store, instanceId, queue, size),
  ])
  return { destined, events, at: Date.now(), complete: events.length < size }
}
