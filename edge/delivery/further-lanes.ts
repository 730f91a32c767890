// Delivers the events of one instance to its webhooks beside the first. Each has lanes of its own, so that none delays another.

import { Coalescer } from '@msgnet/shared/coalescer.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import type { DueEvent, FurtherTarget, FurtherWebhookRow } from '../objects/due-events.ts'
import type { Env } from '../settings/env.ts'
import { openStore, type Store } from '../store/database/open-store.ts'
import { writeWithRetries } from '../store/database/write-with-retries.ts'
import {
  createFurtherLedger,
  listActiveFurther,
  moveCursor,
  readFurtherInOrder,
  readFurtherRetries,
} from '../store/events/further-queue.ts'
import { type AttemptResult, attemptDelivery } from './attempt-delivery.ts'
import { toFurtherDestination } from './webhook-secrets.ts'

/** Events of one read. */
const PAGE = 16
/** Events that a webhook does not want are passed over in memory, and written as passed after so many. */
const PASSED_UNWRITTEN = 200

const AGAIN_AFTER = 5 * SECOND

interface Schedule {
  /** Called with the time at which something is due. */
  wakeAt(at: number): Promise<void>
  /** Called after a failure of the database. */
  wakeAfterFailure(error: unknown): Promise<void>
}

export class FurtherLanes {
  readonly #env: Env
  readonly #schedule: Schedule
  readonly #lanes = new Map<string, Lane>()
  /** Those to which something may be sent; undefined if they have to be read. */
  #active: string[] | undefined
  /** Grows when a webhook changes: what was read before is not used then. */
  #version = 0

  constructor(env: Env, schedule: Schedule) {
    this.#env = env
    this.#schedule = schedule
  }

  /**
   * Resolves when nothing more is due. `settles`: what was passed over is written now, so that the tick finds nothing, and a change
   * that nobody notified of is noticed.
   */
  async run(instanceId: string, settles: boolean): Promise<void> {
    try {
      if (settles) this.#active = undefined
      const ids = await this.#listActive(instanceId)
      await Promise.all(ids.map((id) => this.#findLane(id).run(settles)))
    } catch (error) {
      await this.#schedule.wakeAfterFailure(error)
    }
  }

  /** A webhook was changed: no event is sent any more as it was before. */
  clear(): void {
    this.#version++
    this.#active = undefined
    for (const [id, lane] of this.#lanes) this.#endLane(id, lane)
  }

  async #listActive(instanceId: string): Promise<string[]> {
    while (!this.#active) {
      const version = this.#version
      const ids = await listActiveFurther(openStore(this.#env), instanceId)
      if (version === this.#version) this.#active = ids
    }
    for (const [id, lane] of this.#lanes) if (!this.#active.includes(id)) this.#endLane(id, lane)
    return this.#active
  }

  /** A lane with a request on its way stays: another one beside it would send the same event. */
  #endLane(id: string, lane: Lane): void {
    lane.endPasses()
    if (!lane.isRunning) this.#lanes.delete(id)
  }

  #findLane(id: string): Lane {
    const lane = this.#lanes.get(id) ?? new Lane(this.#env, this.#schedule, id)
    this.#lanes.set(id, lane)
    return lane
  }
}

/** Whether the webhook is still as it was when a pass over a queue began. */
type IsCurrent = () => boolean

/** Of one webhook. */
class Lane {
  readonly #env: Env
  readonly #schedule: Schedule
  readonly #webhookId: string
  // As of the first webhook: what failed often does not delay new events.
  readonly #ordered = new Coalescer(() =>
    this.#runSafely((store, isCurrent) => this.#drainInOrder(store, isCurrent)),
  )
  readonly #retries = new Coalescer(() =>
    this.#runSafely((store, isCurrent) => this.#drainRetries(store, isCurrent)),
  )
  #version = 0
  #running = 0
  /** Every event up to this `seq` was tried or is not wanted. */
  #passedUpTo = 0
  /** Until then the next event in order waits for its next attempt, and new ones wait behind it. */
  #blockedUntil = 0
  #settles = false

  constructor(env: Env, schedule: Schedule, webhookId: string) {
    this.#env = env
    this.#schedule = schedule
    this.#webhookId = webhookId
  }

  get isRunning(): boolean {
    return this.#running > 0
  }

  async run(settles: boolean): Promise<void> {
    this.#settles ||= settles
    // New events are not in the queue of retries; an alarm, a replay or a change looks into both.
    if (settles) await Promise.all([this.#ordered.run(), this.#retries.run()])
    else if (Date.now() >= this.#blockedUntil) await this.#ordered.run()
  }

  /** What was read before is not sent any more, and what was passed over is looked at again. */
  endPasses(): void {
    this.#version++
    this.#passedUpTo = 0
    this.#blockedUntil = 0
  }

  async #runSafely(work: (store: Store, isCurrent: IsCurrent) => Promise<number | undefined>): Promise<void> {
    const version = this.#version
    this.#running++
    try {
      const next = await work(openStore(this.#env), () => version === this.#version)
      if (next !== undefined) await this.#schedule.wakeAt(next)
    } catch (error) {
      await this.#schedule.wakeAfterFailure(error)
    } finally {
      this.#running--
    }
  }

  /** Returns when to look again; undefined if nothing waits, or if the webhook has changed, which starts another pass. */
  async #drainInOrder(store: Store, isCurrent: IsCurrent): Promise<number | undefined> {
    let soonest: number | undefined
    for (let hasMore = true; hasMore; ) {
      const page = await readFurtherInOrder(store, this.#webhookId, this.#passedUpTo, PAGE)
      if (!page) return soonest
      let writtenUpTo = page.webhook.cursor
      for (const event of page.events) {
        if (!isCurrent()) return undefined
        const dueAt = event.nextAttemptAt ?? 0
        if (dueAt > Date.now()) {
          this.#blockedUntil = dueAt
          return findSooner(soonest, dueAt)
        }
        const { retryAt, blocks, halt } = await this.#attempt(store, page, event)
        if (halt || !isCurrent()) return undefined
        soonest = findSooner(soonest, retryAt)
        if (blocks) {
          this.#blockedUntil = retryAt ?? 0
          return soonest
        }
        this.#passedUpTo = event.seq
        writtenUpTo = event.seq
      }
      if (!isCurrent()) return undefined
      this.#passedUpTo = Math.max(this.#passedUpTo, page.seenUpTo)
      hasMore = page.hasMore
      await this.#writePassed(store, page.webhook, writtenUpTo)
    }
    this.#settles = false
    return soonest
  }

  async #writePassed(store: Store, webhook: FurtherWebhookRow, writtenUpTo: number): Promise<void> {
    const unwritten = this.#passedUpTo - writtenUpTo
    if (unwritten > 0 && (this.#settles || unwritten >= PASSED_UNWRITTEN))
      await store.write([moveCursor(webhook, this.#passedUpTo)])
  }

  async #drainRetries(store: Store, isCurrent: IsCurrent): Promise<number | undefined> {
    const tried = new Set<string>()
    for (;;) {
      const page = await readFurtherRetries(store, this.#webhookId, PAGE)
      if (!page || page.events.length === 0) return undefined
      for (const event of page.events) {
        if (!isCurrent()) return undefined
        const dueAt = event.nextAttemptAt ?? 0
        if (dueAt > Date.now()) return dueAt
        // Either a long pass, or its result was not written, because the webhook is another one by now.
        if (tried.has(event.id)) return Date.now() + AGAIN_AFTER
        tried.add(event.id)
        const { halt } = await this.#attempt(store, page, event)
        if (halt) return undefined
      }
    }
  }

  async #attempt(
    store: Store,
    { instanceName, webhook }: FurtherTarget,
    event: DueEvent,
  ): Promise<AttemptResult> {
    const destination = toFurtherDestination(webhook)
    const ledger = createFurtherLedger(webhook)
    const result = await attemptDelivery(this.#env, store, { instanceName, destination, ledger }, event)
    // Stored before the next event is sent, so that after a kill a webhook gets at most this one again.
    await writeWithRetries(store, result.statements)
    if (result.halt) this.endPasses()
    return result
  }
}

const findSooner = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
