// Delivers the events of one instance to its webhooks beside the first. Each has lanes of its own, so that none delays another.

import { Coalescer } from '../../shared/coalescer.ts'
import { SECOND } from '../../shared/date-time.ts'
import type { Env } from '../env.ts'
import { openStore, type Store } from '../store/database/open-store.ts'
import { writeWithRetries } from '../store/database/write-with-retries.ts'
import type { DueEvent, FurtherTarget } from '../store/events/due-events.ts'
import {
  createFurtherLedger,
  listFurtherTargets,
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

/** One pass over a queue, with the webhook as it was at its beginning. */
interface Pass {
  target: FurtherTarget
  isCurrent(): boolean
}

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

  constructor(env: Env, schedule: Schedule) {
    this.#env = env
    this.#schedule = schedule
  }

  /** Resolves when nothing more is due. `settles`: what was passed over is written now, so that the tick finds nothing. */
  async run(instanceId: string, settles: boolean): Promise<void> {
    try {
      const targets = await listFurtherTargets(openStore(this.#env), instanceId)
      const ids = new Set(targets.map(({ webhook }) => webhook.id))
      for (const [id, lane] of this.#lanes) if (!ids.has(id)) this.#endLane(id, lane)
      await Promise.all(targets.map((target) => this.#findLane(target).run(target, settles)))
    } catch (error) {
      await this.#schedule.wakeAfterFailure(error)
    }
  }

  /** A webhook was changed: no event is sent any more as it was before. */
  clear(): void {
    for (const [id, lane] of this.#lanes) this.#endLane(id, lane)
  }

  /** A lane with a request on its way stays: another one beside it would send the same event. */
  #endLane(id: string, lane: Lane): void {
    lane.end()
    if (!lane.isRunning) this.#lanes.delete(id)
  }

  #findLane({ webhook: { id } }: FurtherTarget): Lane {
    const lane = this.#lanes.get(id) ?? new Lane(this.#env, this.#schedule)
    this.#lanes.set(id, lane)
    return lane
  }
}

/** Of one webhook. */
class Lane {
  readonly #env: Env
  readonly #schedule: Schedule
  // As of the first webhook: what failed often does not delay new events.
  readonly #ordered = new Coalescer(() => this.#runSafely((store, pass) => this.#drainInOrder(store, pass)))
  readonly #retries = new Coalescer(() => this.#runSafely((store, pass) => this.#drainRetries(store, pass)))
  #target: FurtherTarget | undefined
  /** Grows when the webhook changes: what was read before is not sent then. */
  #version = 0
  #running = 0
  /** A list of webhooks that was read before the last result was written has an older cursor. */
  #passedUpTo = 0
  #writtenUpTo = 0
  #settles = false

  constructor(env: Env, schedule: Schedule) {
    this.#env = env
    this.#schedule = schedule
  }

  get isRunning(): boolean {
    return this.#running > 0
  }

  async run(target: FurtherTarget, settles: boolean): Promise<void> {
    this.#target = target
    this.#passedUpTo = Math.max(this.#passedUpTo, target.webhook.cursor)
    this.#writtenUpTo = Math.max(this.#writtenUpTo, target.webhook.cursor)
    this.#settles ||= settles
    await Promise.all([this.#ordered.run(), this.#retries.run()])
  }

  end(): void {
    this.#target = undefined
    this.#version++
  }

  async #runSafely(work: (store: Store, pass: Pass) => Promise<number | undefined>): Promise<void> {
    if (!this.#target) return
    const version = this.#version
    const pass = { target: this.#target, isCurrent: () => version === this.#version }
    this.#running++
    try {
      const next = await work(openStore(this.#env), pass)
      if (next !== undefined) await this.#schedule.wakeAt(next)
    } catch (error) {
      await this.#schedule.wakeAfterFailure(error)
    } finally {
      this.#running--
    }
  }

  /** Returns when to look again; undefined if nothing waits. */
  async #drainInOrder(store: Store, pass: Pass): Promise<number | undefined> {
    let soonest: number | undefined
    for (let hasMore = true; hasMore && pass.isCurrent(); ) {
      const page = await readFurtherInOrder(store, pass.target.webhook, this.#passedUpTo, PAGE)
      for (const event of page.events) {
        const dueAt = event.nextAttemptAt ?? 0
        if (dueAt > Date.now()) return findSooner(soonest, dueAt)
        if (!pass.isCurrent()) return undefined
        const { retryAt, blocks, halt } = await this.#attempt(store, pass, event)
        if (halt) return undefined
        soonest = findSooner(soonest, retryAt)
        if (blocks) return soonest
        this.#passedUpTo = event.seq
        this.#writtenUpTo = event.seq
      }
      if (!pass.isCurrent()) return undefined
      this.#passedUpTo = Math.max(this.#passedUpTo, page.seenUpTo)
      hasMore = page.hasMore
      await this.#writePassed(store, pass.target)
    }
    return soonest
  }

  async #writePassed(store: Store, { webhook }: FurtherTarget): Promise<void> {
    const unwritten = this.#passedUpTo - this.#writtenUpTo
    if (unwritten === 0 || (unwritten < PASSED_UNWRITTEN && !this.#settles)) return
    this.#settles = false
    await store.write([moveCursor(webhook, this.#passedUpTo)])
    this.#writtenUpTo = this.#passedUpTo
  }

  async #drainRetries(store: Store, pass: Pass): Promise<number | undefined> {
    const tried = new Set<string>()
    while (pass.isCurrent()) {
      const due = await readFurtherRetries(store, pass.target.webhook.id, PAGE)
      if (due.length === 0) return undefined
      for (const event of due) {
        const dueAt = event.nextAttemptAt ?? 0
        if (dueAt > Date.now()) return dueAt
        // Its result was not written, because the webhook is another one by now: it is read again first.
        if (tried.has(event.id)) return Date.now() + AGAIN_AFTER
        tried.add(event.id)
        if (!pass.isCurrent()) return undefined
        const { halt } = await this.#attempt(store, pass, event)
        if (halt) return undefined
      }
    }
    return undefined
  }

  async #attempt(store: Store, { target }: Pass, event: DueEvent): Promise<AttemptResult> {
    const { instanceName, webhook } = target
    const destination = toFurtherDestination(webhook)
    const ledger = createFurtherLedger(webhook)
    const result = await attemptDelivery(this.#env, store, { instanceName, destination, ledger }, event)
    // Stored before the next event is sent, so that after a kill a webhook gets at most this one again.
    await writeWithRetries(store, result.statements)
    if (result.halt) this.end()
    return result
  }
}

const findSooner = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
