// The courier of one instance delivers its due events to the receiver, queue by queue. All its state is in the database.

import { SECOND } from '../../shared/clock.ts'
import { coalesce } from '../../shared/coalesce.ts'
import type { ReplayRequest } from '../../shared/contract/events-request.ts'
import { type MeterState, makeMeter } from '../../shared/meter.ts'
import { makeDeadlines } from '../deadlines.ts'
import { type Env, type ObjectEnv, webhooksOn } from '../env.ts'
import { log, reasonOf } from '../log.ts'
import type { CourierObject, Listener } from '../objects.ts'
import { webhookTests } from '../quotas.ts'
import type { ObjectState } from '../runtime.ts'
import { openStore, type Store } from '../store/database/database.ts'
import { persist } from '../store/database/persist.ts'
import { activeDestination, nextInQueue, type Queue } from '../store/events/deliveries.ts'
import type { Destined, DueEvent, Handed } from '../store/events/due.ts'
import { SoonestAlarm } from './alarm.ts'
import { Arrivals, FRESH_FOR } from './arrivals.ts'
import { attempt } from './attempt.ts'
import { replay } from './replay.ts'
import { Streams } from './streams.ts'

/** Storage key of the meter of webhook tests. */
const TESTS = 'tests'
/** After a failure of the database. */
const TRY_AGAIN_IN = 5 * SECOND
/** Events of one read: few at first, then more if all of them could be used while they were fresh. */
const FIRST_PAGE = 4
const LARGEST_PAGE = 32

export class Courier implements CourierObject {
  readonly #state: ObjectState
  readonly #env: ObjectEnv
  #instanceId = ''
  #replaying = false
  readonly #alarm: SoonestAlarm
  readonly #arrivals = new Arrivals<Handed>()
  // Two separate queues, so that a receiver that hangs on failed events does not delay new ones.
  readonly #ordered = coalesce(() => this.#drain('ordered'))
  readonly #retries = coalesce(() => this.#drain('retries'))
  readonly #streams: Streams

  constructor(state: ObjectState, env: Env) {
    this.#state = state
    this.#env = { ...env, after: makeDeadlines() }
    this.#alarm = new SoonestAlarm(state.storage)
    this.#streams = new Streams(this.#env)
  }

  async work(instanceId: string): Promise<void> {
    await this.#begin(instanceId)
  }

  async arrived(instanceId: string, handed?: Handed): Promise<void> {
    this.#instanceId = instanceId
    this.#streams.wake()
    this.#arrivals.add(this.#replaying ? undefined : handed, Date.now())
    this.#state.waitUntil(this.#ordered.run())
  }

  async subscriptionChanged(instanceId: string): Promise<void> {
    this.#arrivals.changed(Date.now())
    void this.#begin(instanceId)
  }

  /** Stored on disk: an idle object loses its memory, and a caller could wait for that. */
  async countTest(): Promise<number> {
    const tests = makeMeter(webhookTests, Date.now, await this.#state.storage.get<MeterState>(TESTS))
    const wait = tests.take()
    if (wait === 0) await this.#state.storage.put(TESTS, tests.state)
    return wait
  }

  async replay(instanceId: string, request: ReplayRequest) {
    if (this.#replaying) return { refused: 'quota_reached' as const }
    this.#replaying = true
    const answer = await replay(this.#env, instanceId, request).finally(() => {
      this.#replaying = false
      // Events that were finished are due again.
      this.#arrivals.changed(Date.now())
    })
    if ('queued' in answer && answer.queued > 0) void this.#begin(instanceId)
    return answer
  }

  async tokenChanged(): Promise<void> {
    this.#streams.wake()
  }

  /** Called when the process stops. */
  endStreams(): void {
    this.#streams.end()
  }

  async stream(listener: Listener, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    return this.#streams.open(listener, signal)
  }

  async alarm(): Promise<void> {
    const instanceId = await this.#alarm.wentOff()
    if (!instanceId) return
    this.#instanceId = instanceId
    await this.#runAll()
  }

  async forget(): Promise<void> {
    this.#arrivals.changed(Date.now())
    this.#instanceId = ''
    this.#streams.wake()
    await this.#alarm.forget()
  }

  #begin(instanceId: string): Promise<void> {
    this.#instanceId = instanceId
    const done = this.#runAll()
    // It goes on after its caller has left.
    this.#state.waitUntil(done)
    return done
  }

  async #runAll(): Promise<void> {
    this.#arrivals.readNext()
    await Promise.all([this.#ordered.run(), this.#retries.run()])
  }

  async #drain(queue: Queue): Promise<void> {
    if (!this.#instanceId) return
    try {
      const next = await drainQueue(this.#env, this.#instanceId, queue, this.#arrivals)
      if (next !== undefined) await this.#comeBack(next)
    } catch (error) {
      this.#arrivals.readNext()
      log(this.#env, 'error', 'courier failed', { instance: this.#instanceId, reason: reasonOf(error) })
      await this.#comeBack(Date.now() + TRY_AGAIN_IN)
    }
  }

  async #comeBack(at: number): Promise<void> {
    if (this.#instanceId) await this.#alarm.set(this.#instanceId, at)
  }
}

interface Due {
  destined: Destined | undefined
  events: DueEvent[]
  /** When it was read. */
  at: number
  /** Nothing else was due at that time. */
  complete: boolean
}

/**
 * Delivers the due events of one queue; in the ordered queue an event can block the next. Returns when to look again,
 * undefined if nothing waits. After a change of `arrivals` nothing is sent that was read before.
 */
async function drainQueue(
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
  /** Ends the pass although events are left in the queue. */
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
      // Stored before the next event is sent, so that after a kill an instance repeats at most this one.
      await persist(store, statements)
      if (halt) return leave(undefined)
      if (ordered && blocks) return leave(sooner(retryAt))
      soonest = sooner(retryAt)
      used++
    }
    // Events that came since were handed over, or another pass was asked for.
    if (used === events.length && complete && !ordered) return soonest
    if (used < events.length || !complete) leave(undefined)
    size = used < events.length ? Math.max(1, used) : Math.min(2 * size, LARGEST_PAGE)
  }
}

/** The handed events if nothing else is due, or else a read; undefined if there is nothing new. */
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
