// The courier of one instance: takes its due events to the receiver, queue by queue. All it must remember is in the database.

import { DurableObject } from 'cloudflare:workers'
import { SECOND } from '../../shared/clock.ts'
import { coalesce } from '../../shared/coalesce.ts'
import type { ReplayRequest } from '../../shared/contract/events-request.ts'
import { type MeterState, makeMeter } from '../../shared/meter.ts'
import { makeDeadlines } from '../deadlines.ts'
import { type Env, type ObjectEnv, webhooksOn } from '../env.ts'
import { log, reasonOf } from '../log.ts'
import type { CourierObject } from '../objects.ts'
import { webhookTests } from '../quotas.ts'
import { openStore, type Store } from '../store/database/database.ts'
import { persist } from '../store/database/persist.ts'
import { activeDestination, nextInQueue, type Queue } from '../store/events/deliveries.ts'
import type { Destined, DueEvent, Handed } from '../store/events/due.ts'
import { SoonestAlarm } from './alarm.ts'
import { Arrivals, FRESH_FOR } from './arrivals.ts'
import { attempt } from './attempt.ts'
import { replay } from './replay.ts'
import { Streams } from './streams.ts'

/** Where the meter of webhook tests is kept. */
const TESTS = 'tests'
/** When the database failed us. */
const TRY_AGAIN_IN = 5 * SECOND
/** Events read at once: few at first, and more where all of them can be used while they are fresh. */
const FIRST_PAGE = 4
const LARGEST_PAGE = 32

export class Courier extends DurableObject<ObjectEnv> implements CourierObject {
  #instanceId = ''
  #replaying = false
  readonly #alarm = new SoonestAlarm(this.ctx.storage)
  readonly #arrivals = new Arrivals<Handed>()
  // Each by itself, so that a receiver that hangs on what failed before does not hold back what is new.
  readonly #ordered = coalesce(() => this.#drain('ordered'))
  readonly #retries = coalesce(() => this.#drain('retries'))
  readonly #streams = new Streams(this.env)

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, { ...env, after: makeDeadlines() })
  }

  async work(instanceId: string): Promise<void> {
    await this.#begin(instanceId)
  }

  async arrived(instanceId: string, handed?: Handed): Promise<void> {
    this.#instanceId = instanceId
    this.#streams.wake()
    this.#arrivals.add(this.#replaying ? undefined : handed, Date.now())
    this.ctx.waitUntil(this.#ordered.run())
  }

  async subscriptionChanged(instanceId: string): Promise<void> {
    this.#arrivals.changed(Date.now())
    void this.#begin(instanceId)
  }

  /** Kept on disk: the object is forgotten when it is idle, and its caller may wait for that. */
  async countTest(): Promise<number> {
    const tests = makeMeter(webhookTests, Date.now, await this.ctx.storage.get<MeterState>(TESTS))
    const wait = tests.take()
    if (wait === 0) await this.ctx.storage.put(TESTS, tests.state)
    return wait
  }

  async replay(instanceId: string, request: ReplayRequest) {
    if (this.#replaying) return { refused: 'quota_reached' as const }
    this.#replaying = true
    const answer = await replay(this.env, instanceId, request).finally(() => {
      this.#replaying = false
      // What was done with is due again.
      this.#arrivals.changed(Date.now())
    })
    if ('queued' in answer && answer.queued > 0) void this.#begin(instanceId)
    return answer
  }

  async tokenChanged(): Promise<void> {
    this.#streams.wake()
  }

  /** Opens a stream of the instance's events. */
  override async fetch(request: Request): Promise<Response> {
    return this.#streams.open(request)
  }

  override async alarm(): Promise<void> {
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
    // Whoever asked need not stay for it.
    this.ctx.waitUntil(done)
    return done
  }

  async #runAll(): Promise<void> {
    this.#arrivals.readNext()
    await Promise.all([this.#ordered.run(), this.#retries.run()])
  }

  async #drain(queue: Queue): Promise<void> {
    if (!this.#instanceId) return
    try {
      const next = await drainQueue(this.env, this.#instanceId, queue, this.#arrivals)
      if (next !== undefined) await this.#comeBack(next)
    } catch (error) {
      this.#arrivals.readNext()
      log(this.env, 'error', 'courier failed', { instance: this.#instanceId, reason: reasonOf(error) })
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
  /** When this was true. */
  at: number
  /** Nothing else is due, unless it was brought since. */
  complete: boolean
}

/**
 * Delivers one queue as far as it is due; the ordered one event after another. Returns when to look again, undefined when nothing
 * waits. After a change of `arrivals` nothing goes out by what was read before.
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
