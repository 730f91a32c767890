// The courier of one instance delivers its due events to its webhooks, in a lane for each, and to open streams. All its state is in the database.

import { limits } from '@msgnet/shared/contract/limits.ts'
import type { ReplayRequest } from '@msgnet/shared/contract/replay-request.ts'
import type { Redriven } from '@msgnet/shared/contract/responses/event-responses.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { Fault, type FaultName } from '@msgnet/shared/fault-table.ts'
import { RateLimiter, type RateLimiterState } from '@msgnet/shared/rate-limiter.ts'
import { webhookTests } from '../limits/quotas.ts'
import type { Arrival, PresenceBatch } from '../objects/due-events.ts'
import type { CourierObject, StreamListener } from '../objects/objects.ts'
import { log } from '../observability/edge-log.ts'
import { createDeadlines } from '../runtime/deadlines.ts'
import type { ObjectState } from '../runtime/runtime.ts'
import { areWebhooksEnabled, type Env, type ObjectEnv } from '../settings/env.ts'
import { openStore } from '../store/database/open-store.ts'
import { isStorageError } from '../store/database/storage-error.ts'
import { countSelected, makeDueAgain } from '../store/events/replay-queries.ts'
import { findLane } from '../store/webhook-queries.ts'
import { EventStreams } from './event-streams.ts'
import { Lanes } from './lanes.ts'
import { PresenceSenders, toEnvelopeSource } from './presence-sender.ts'
import { SoonestAlarm } from './soonest-alarm.ts'

/** Storage key of the limiter of webhook tests. */
const TESTS_KEY = 'tests'
/** After a failure of the database. */
const RETRY_DELAY = 5 * SECOND

export class Courier implements CourierObject {
  readonly #state: ObjectState
  readonly #env: ObjectEnv
  #instanceId = ''
  #isReplaying = false
  #tests: RateLimiter | undefined
  readonly #alarm: SoonestAlarm
  readonly #streams: EventStreams
  readonly #lanes: Lanes
  readonly #presence: PresenceSenders

  constructor(state: ObjectState, env: Env) {
    this.#state = state
    this.#env = { ...env, setDeadline: createDeadlines() }
    this.#alarm = new SoonestAlarm(state.storage)
    this.#streams = new EventStreams(this.#env)
    this.#presence = new PresenceSenders(this.#env)
    this.#lanes = new Lanes(this.#env, {
      wakeAt: (at) => this.#scheduleAlarm(at),
      wakeAfterFailure: (error) => this.#scheduleAfterFailure(error),
    })
  }

  async deliverDue(instanceId: string): Promise<void> {
    await this.#startLanes(instanceId)
  }

  async onEventsStored({ instance, batch }: Arrival): Promise<void> {
    this.#instanceId = instance
    this.#streams.wakeAll()
    if (batch && areWebhooksEnabled(this.#env)) this.#state.waitUntil(this.#lanes.add(batch))
  }

  /** In a line of its own, so that it delays no event. */
  async onPresence({ instanceName, handle, destinations, items }: PresenceBatch): Promise<void> {
    this.#streams.pushPresence(items.map(toEnvelopeSource), instanceName)
    if (!areWebhooksEnabled(this.#env)) return
    for (const { destination, items: chosen } of destinations)
      this.#state.waitUntil(this.#presence.send({ instanceName, handle, destination }, chosen))
  }

  async onSubscriptionChanged(instanceId: string): Promise<void> {
    this.#presence.clear()
    this.#lanes.endPasses()
    void this.#startLanes(instanceId)
  }

  /** Stored on disk: an idle object loses its memory, and a caller could use that. */
  async countTest(): Promise<number> {
    const stored = this.#tests ? undefined : await this.#state.storage.get<RateLimiterState>(TESTS_KEY)
    // One for all: those that come at once have read the same state.
    this.#tests ??= new RateLimiter(webhookTests, Date.now, stored)
    const wait = this.#tests.acquire()
    if (wait === 0) await this.#state.storage.put(TESTS_KEY, this.#tests.state)
    return wait
  }

  async replayEvents(instanceId: string, request: ReplayRequest) {
    if (this.#isReplaying) return { refused: 'quota_reached' as const }
    this.#isReplaying = true
    const result = await runReplay(this.#env, instanceId, request).finally(() => {
      this.#isReplaying = false
      // Events that were finished are due again.
      this.#lanes.endPasses()
    })
    if ('queued' in result && result.queued > 0) void this.#startLanes(instanceId)
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
    await this.#runLanes()
  }

  async onInstanceDeleted(): Promise<void> {
    this.#presence.clear()
    this.#lanes.endPasses()
    this.#instanceId = ''
    this.#streams.wakeAll()
    await this.#alarm.deleteAlarm()
  }

  #startLanes(instanceId: string): Promise<void> {
    this.#instanceId = instanceId
    const finished = this.#runLanes()
    // The work continues after the call has returned.
    this.#state.waitUntil(finished)
    return finished
  }

  async #runLanes(): Promise<void> {
    if (this.#instanceId && areWebhooksEnabled(this.#env)) await this.#lanes.runAll(this.#instanceId)
  }

  async #scheduleAfterFailure(error: unknown): Promise<void> {
    log(this.#env, 'error', 'failed to deliver events', { instance: this.#instanceId, error })
    await this.#scheduleAlarm(Date.now() + RETRY_DELAY)
  }

  async #scheduleAlarm(at: number): Promise<void> {
    if (this.#instanceId) await this.#alarm.setNotLater(this.#instanceId, at)
  }
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
    const lane = await findLane(store, instanceId, webhookId?.toLowerCase())
    if (lane === undefined) throw new Fault('webhook_not_found')
    const matched = await countSelected(store, lane, selection)
    if (dryRun || matched === 0) return { matched, queued: 0 }
    return { matched, queued: await makeDueAgain(store, lane, selection, limits.maxReplayedEvents) }
  } catch (error) {
    if (error instanceof Fault) return { refused: error.fault }
    log(env, 'error', 'failed to replay events', { instance: instanceId, error })
    return { refused: isStorageError(error) ? 'storage_unavailable' : 'internal' }
  }
}
