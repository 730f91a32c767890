// The courier of one instance delivers its due events to the receiver, queue by queue. All its state is in the database.

import { Coalescer } from '@msgnet/shared/coalescer.ts'
import { limits } from '@msgnet/shared/contract/limits.ts'
import type { ReplayRequest } from '@msgnet/shared/contract/replay-request.ts'
import type { Redriven } from '@msgnet/shared/contract/responses/event-responses.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { Fault, type FaultName } from '@msgnet/shared/fault-table.ts'
import { RateLimiter, type RateLimiterState } from '@msgnet/shared/rate-limiter.ts'
import { webhookTests } from '../limits/quotas.ts'
import type { Arrival, DeliveryTarget, DueEvent, EventBatch, PresenceBatch } from '../objects/due-events.ts'
import type { CourierObject, StreamListener } from '../objects/objects.ts'
import { log } from '../observability/edge-log.ts'
import { createDeadlines } from '../runtime/deadlines.ts'
import type { ObjectState } from '../runtime/runtime.ts'
import { areWebhooksEnabled, type Env, type ObjectEnv } from '../settings/env.ts'
import { openStore, type Store } from '../store/database/open-store.ts'
import { isStorageError } from '../store/database/storage-error.ts'
import { writeWithRetries } from '../store/database/write-with-retries.ts'
import {
  createFirstLedger,
  findActiveTarget,
  type Queue,
  readNextInQueue,
} from '../store/events/delivery-queue.ts'
import { countSelectedFurther, makeDueAgainFurther } from '../store/events/further-replay.ts'
import { countSelected, makeDueAgain } from '../store/events/replay-queries.ts'
import { listFurtherWebhooks } from '../store/further-webhook-queries.ts'
import { findSubscription } from '../store/subscription-queries.ts'
import { attemptDelivery } from './attempt-delivery.ts'
import { EventBuffer, FRESH_MS } from './event-buffer.ts'
import { EventStreams } from './event-streams.ts'
import { FurtherLanes } from './further-lanes.ts'
import { PresenceSenders, toEnvelopeSource } from './presence-sender.ts'
import { SoonestAlarm } from './soonest-alarm.ts'
import { toFirstDestination } from './webhook-secrets.ts'

/** Storage key of the limiter of webhook tests. */
const TESTS_KEY = 'tests'
/** After a failure of the database. */
const RETRY_DELAY = 5 * SECOND
/** Events of one read: few at first, then more if all of them could be used while they were fresh. */
const FIRST_PAGE = 4
const MAX_PAGE = 32

export class Courier implements CourierObject {
  readonly #state: ObjectState
  readonly #env: ObjectEnv
  #instanceId = ''
  #isReplaying = false
  readonly #alarm: SoonestAlarm
  readonly #eventBuffer = new EventBuffer<EventBatch>()
  // Two separate queues, so that a receiver that hangs on failed events does not delay new ones.
  readonly #ordered = new Coalescer(() => this.#runQueue('ordered'))
  readonly #retries = new Coalescer(() => this.#runQueue('retries'))
  readonly #streams: EventStreams
  readonly #further: FurtherLanes
  readonly #presence: PresenceSenders

  constructor(state: ObjectState, env: Env) {
    this.#state = state
    this.#env = { ...env, setDeadline: createDeadlines() }
    this.#alarm = new SoonestAlarm(state.storage)
    this.#streams = new EventStreams(this.#env)
    this.#presence = new PresenceSenders(this.#env)
    this.#further = new FurtherLanes(this.#env, {
      wakeAt: (at) => this.#scheduleAlarm(at),
      wakeAfterFailure: (error) => this.#scheduleAfterFailure(error),
    })
  }

  async deliverDue(instanceId: string): Promise<void> {
    await this.#startQueues(instanceId)
  }

  async onEventsStored({ instance, batch, hasFurther }: Arrival): Promise<void> {
    this.#instanceId = instance
    this.#streams.wakeAll()
    this.#eventBuffer.addBatch(this.#isReplaying ? undefined : batch, Date.now())
    this.#state.waitUntil(this.#ordered.run())
    if (hasFurther) this.#state.waitUntil(this.#runFurther(false))
  }

  /** In a line of its own, so that it delays no event. */
  async onPresence({ instanceName, destinations, items }: PresenceBatch): Promise<void> {
    this.#streams.pushPresence(items.map(toEnvelopeSource), instanceName)
    if (!areWebhooksEnabled(this.#env)) return
    for (const { destination, items: chosen } of destinations)
      this.#state.waitUntil(this.#presence.send({ instanceName, destination }, chosen))
  }

  async onSubscriptionChanged(instanceId: string): Promise<void> {
    this.#presence.clear()
    this.#further.clear()
    this.#eventBuffer.invalidate(Date.now())
    void this.#startQueues(instanceId)
  }

  /** Stored on disk: an idle object loses its memory, and a caller could use that. */
  async countTest(): Promise<number> {
    const tests = new RateLimiter(
      webhookTests,
      Date.now,
      await this.#state.storage.get<RateLimiterState>(TESTS_KEY),
    )
    const wait = tests.acquire()
    if (wait === 0) await this.#state.storage.put(TESTS_KEY, tests.state)
    return wait
  }

  async replayEvents(instanceId: string, request: ReplayRequest) {
    if (this.#isReplaying) return { refused: 'quota_reached' as const }
    this.#isReplaying = true
    const result = await runReplay(this.#env, instanceId, request).finally(() => {
      this.#isReplaying = false
      // Events that were finished are due again.
      this.#eventBuffer.invalidate(Date.now())
    })
    if ('queued' in result && result.queued > 0) void this.#startQueues(instanceId)
    return result
  }

  async onTokenChanged(): Promise<void> {
    this.#streams.wakeAll()
  }

  /** Called when the process stops. */
  endStreams(): void {
    this.#streams.endAll()
  }

  async openStream(listener: StreamListener, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    return this.#streams.openStream(listener, signal)
  }

  async alarm(): Promise<void> {
    const instanceId = await this.#alarm.onAlarm()
    if (!instanceId) return
    this.#instanceId = instanceId
    await this.#runQueues()
  }

  async onInstanceDeleted(): Promise<void> {
    this.#eventBuffer.invalidate(Date.now())
    this.#presence.clear()
    this.#further.clear()
    this.#instanceId = ''
    this.#streams.wakeAll()
    await this.#alarm.deleteAlarm()
  }

  #startQueues(instanceId: string): Promise<void> {
    this.#instanceId = instanceId
    const finished = this.#runQueues()
    // The work continues after the call has returned.
    this.#state.waitUntil(finished)
    return finished
  }

  async #runQueues(): Promise<void> {
    this.#eventBuffer.requireRead()
    await Promise.all([this.#ordered.run(), this.#retries.run(), this.#runFurther(true)])
  }

  /** `settles`: as of `FurtherLanes`. */
  async #runFurther(settles: boolean): Promise<void> {
    if (this.#instanceId && areWebhooksEnabled(this.#env)) await this.#further.run(this.#instanceId, settles)
  }

  async #runQueue(queue: Queue): Promise<void> {
    if (!this.#instanceId) return
    try {
      const next = await drainQueue(this.#env, this.#instanceId, queue, this.#eventBuffer)
      if (next !== undefined) await this.#scheduleAlarm(next)
    } catch (error) {
      this.#eventBuffer.requireRead()
      await this.#scheduleAfterFailure(error)
    }
  }

  async #scheduleAfterFailure(error: unknown): Promise<void> {
    log(this.#env, 'error', 'failed to deliver events', { instance: this.#instanceId, error })
    await this.#scheduleAlarm(Date.now() + RETRY_DELAY)
  }

  async #scheduleAlarm(at: number): Promise<void> {
    if (this.#instanceId) await this.#alarm.setNotLater(this.#instanceId, at)
  }
}

interface Due {
  target: DeliveryTarget | undefined
  events: DueEvent[]
  /** When it was read. */
  at: number
  /** Nothing else was due at that time. */
  complete: boolean
}

/**
 * Delivers the due events of one queue; in the ordered queue an event can block the next. Returns when to look again,
 * undefined if nothing waits. After a change of the subscription no event is sent that was read
 * before it.
 */
async function drainQueue(
  env: Env,
  instanceId: string,
  queue: Queue,
  eventBuffer: EventBuffer<EventBatch>,
): Promise<number | undefined> {
  if (!areWebhooksEnabled(env)) return undefined
  const store = openStore(env)
  const ordered = queue === 'ordered'
  let soonest: number | undefined
  const findSooner = (at: number | undefined) => (at === undefined ? soonest : Math.min(at, soonest ?? at))
  /** Ends the pass although events are left in the queue. */
  const endPass = (at: number | undefined) => {
    if (ordered) eventBuffer.requireRead()
    return at
  }
  for (let size = FIRST_PAGE; ; ) {
    const { version } = eventBuffer
    const due = ordered
      ? await takeOrReadNext(store, instanceId, size, eventBuffer)
      : await readDue(store, instanceId, queue, size)
    if (!due || (due.target && due.events.length === 0)) return soonest
    const { target, events, at, complete } = due
    if (!target) return endPass(soonest)
    const { instanceName, subscription } = target
    const ledger = createFirstLedger(store, subscription)
    const first = { instanceName, destination: toFirstDestination(subscription), ledger }
    let used = 0
    for (const event of events) {
      const dueAt = event.nextAttemptAt ?? 0
      if (dueAt > Date.now()) return endPass(findSooner(dueAt))
      if (eventBuffer.version !== version || Date.now() - at > FRESH_MS) break
      const { statements, retryAt, blocks, halt } = await attemptDelivery(env, store, first, event)
      // Stored before the next event is sent, so that after a kill an instance repeats at most this one.
      await writeWithRetries(store, statements)
      if (halt) return endPass(undefined)
      if (ordered && blocks) return endPass(findSooner(retryAt))
      soonest = findSooner(retryAt)
      used++
    }
    // Newer events are in the buffer, or they have requested another pass.
    if (used === events.length && complete && !ordered) return soonest
    if (used < events.length || !complete) endPass(undefined)
    size = used < events.length ? Math.max(1, used) : Math.min(2 * size, MAX_PAGE)
  }
}

/** Returns the buffered events if nothing else is due, or else reads; undefined if there is nothing new. */
async function takeOrReadNext(
  store: Store,
  instanceId: string,
  size: number,
  eventBuffer: EventBuffer<EventBatch>,
): Promise<Due | undefined> {
  const batch = eventBuffer.takeBatch(Date.now())
  if (batch) return { ...batch, complete: true }
  if (!eventBuffer.mustRead) return undefined
  const { version } = eventBuffer
  eventBuffer.clearBeforeRead()
  const due = await readDue(store, instanceId, 'ordered', size)
  if (eventBuffer.version === version) eventBuffer.markTried(due.events)
  return due
}

async function readDue(store: Store, instanceId: string, queue: Queue, size: number): Promise<Due> {
  const [target, { events, hasMore }] = await Promise.all([
    findActiveTarget(store, instanceId),
    readNextInQueue(store, instanceId, queue, size),
  ])
  return { target, events, at: Date.now(), complete: !hasMore }
}

/** Undefined for the first webhook. Throws the Fault of an id that names none. */
async function findFurther(store: Store, instanceId: string, id: string): Promise<string | undefined> {
  const named = id.toLowerCase()
  if ((await findSubscription(store, instanceId))?.id === named) return undefined
  const [further] = await listFurtherWebhooks(store, instanceId, named)
  if (!further) throw new Fault('webhook_not_found')
  return further.id
}

/**
 * Counts the events that match, and makes the first of them due again. Errors lose their class between an object and the
 * request, so they are returned as values.
 */
async function runReplay(
  env: Env,
  instanceId: string,
  { dryRun, webhookId, ...selection }: ReplayRequest,
): Promise<Redriven | { refused: FaultName }> {
  try {
    const store = openStore(env)
    const further = webhookId && (await findFurther(store, instanceId, webhookId))
    if (further) {
      const matched = await countSelectedFurther(store, further, selection)
      if (dryRun || matched === 0) return { matched, queued: 0 }
      const queued = await makeDueAgainFurther(store, further, selection, limits.maxReplayedEvents)
      return { matched, queued }
    }
    const matched = await countSelected(store, instanceId, selection)
    if (dryRun || matched === 0) return { matched, queued: 0 }
    return { matched, queued: await makeDueAgain(store, instanceId, selection, limits.maxReplayedEvents) }
  } catch (error) {
    if (error instanceof Fault) return { refused: error.fault }
    log(env, 'error', 'failed to replay events', { instance: instanceId, error })
    return { refused: isStorageError(error) ? 'storage_unavailable' : 'internal' }
  }
}
