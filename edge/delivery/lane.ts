// The lane of one webhook delivers its events: in order behind its cursor, and by themselves those that failed often or were replayed.

import { Coalescer } from '@msgnet/shared/coalescer.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import type { DueEvent, EventBatch, LaneTarget, WebhookRow } from '../objects/due-events.ts'
import type { Env } from '../settings/env.ts'
import { openStore, type Store } from '../store/database/open-store.ts'
import { writeWithRetries } from '../store/database/write-with-retries.ts'
import { moveCursor, readInOrder, readRetries } from '../store/events/lane-queue.ts'
import { type AttemptResult, attemptDelivery } from './attempt-delivery.ts'
import { EventBuffer, FRESH_MS } from './event-buffer.ts'

/** Events of one read: few at first, then more if all of them could be used while they were fresh. */
const FIRST_PAGE = 4
const MAX_PAGE = 32
/** Events that a webhook does not want are passed over in memory, and written as passed after so many. */
const PASSED_UNWRITTEN = 200

const AGAIN_AFTER = 5 * SECOND

export interface Schedule {
  /** Called with the time at which something is due. */
  wakeAt(at: number): Promise<void>
  /** Called after a failure of the database. */
  wakeAfterFailure(error: unknown): Promise<void>
}

/** The next events of a webhook in order, from memory or read. */
interface Due extends LaneTarget {
  events: DueEvent[]
  /** Every event up to this `seq` that waits is among them. */
  upTo: number
  /** When the webhook was read. */
  at: number
  /** There may be more. */
  hasMore: boolean
}

type Batch = Due & { from: number; behind: number }

/** How a pass over the ordered queue goes on after some events. `at`: when the next one is due. */
type Progress =
  | { kind: 'passed' }
  | { kind: 'stale'; used: number }
  | { kind: 'ends'; at: number | undefined }

export class Lane {
  readonly #env: Env
  readonly #schedule: Schedule
  readonly #lane: number
  readonly #buffer = new EventBuffer<Batch>()
  // Two separate queues, so that a receiver that hangs on failed events does not delay new ones.
  readonly #ordered = new Coalescer(() => this.#runSafely((store) => this.#drainInOrder(store)))
  readonly #retries = new Coalescer(() => this.#runSafely((store) => this.#drainRetries(store)))
  #running = 0
  /** Until then the next event in order waits for its next attempt, and new ones wait behind it. */
  #blockedUntil = 0
  /** The cursor in the database, as far as it is known here. */
  #cursor = 0

  constructor(env: Env, schedule: Schedule, lane: number) {
    this.#env = env
    this.#schedule = schedule
    this.#lane = lane
  }

  get isRunning(): boolean {
    return this.#running > 0
  }

  /** Called with new events of the instance. Resolves when none of them is due any more. */
  async add(webhook: WebhookRow, { instanceName, handle, events, isWhole, at }: EventBatch): Promise<void> {
    const [first, last] = [events.at(0), events.at(-1)]
    const now = Date.now()
    if (now < this.#blockedUntil) return
    if (!isWhole) {
      this.#buffer.requireRead()
      return this.#ordered.run()
    }
    if (!first || !last) return
    this.#cursor = Math.max(this.#cursor, webhook.cursor)
    const isNext = webhook.cursor >= first.seq - 1
    this.#buffer.addBatch(
      {
        instanceName,
        handle,
        webhook,
        events: events.filter(({ wanted }) => (wanted >> webhook.position) & 1),
        from: first.seq,
        upTo: last.seq,
        behind: isNext ? 0 : first.seq - 1,
        at,
        hasMore: false,
      },
      now,
    )
    await this.#ordered.run()
  }

  /** Called when something may be due that no batch has brought: after an alarm, a replay or a change. */
  async runAll(): Promise<void> {
    this.#blockedUntil = 0
    this.#buffer.requireRead()
    await Promise.all([this.#ordered.run(), this.#retries.run()])
  }

  /** The webhook has changed, or what is due: what was read before is not sent any more. */
  endPasses(): void {
    this.#blockedUntil = 0
    this.#buffer.invalidate(Date.now())
  }

  async #runSafely(work: (store: Store) => Promise<number | undefined>): Promise<void> {
    this.#running++
    try {
      const next = await work(openStore(this.#env))
      if (next !== undefined) await this.#schedule.wakeAt(next)
    } catch (error) {
      this.#buffer.requireRead()
      await this.#schedule.wakeAfterFailure(error)
    } finally {
      this.#running--
    }
  }

  /** Returns when to look again; undefined if nothing waits. After a change of the webhook no event is sent that was read before it. */
  async #drainInOrder(store: Store): Promise<number | undefined> {
    let soonest: number | undefined
    for (let size = FIRST_PAGE; ; ) {
      const { version } = this.#buffer
      const due = await this.#takeOrRead(store, size)
      if (!due) return soonest
      const progress = await this.#deliverInOrder(store, due, version, (at) => {
        soonest = findSooner(soonest, at)
      })
      // The webhook has changed: it is read again.
      if (this.#buffer.version !== version) continue
      if (progress.kind === 'ends') return findSooner(soonest, progress.at)
      if (progress.kind === 'stale') {
        size = Math.max(1, progress.used)
        continue
      }
      await this.#writePassed(store, due.webhook, due.upTo)
      if (due.hasMore) this.#buffer.requireRead(due.upTo)
      size = Math.min(2 * size, MAX_PAGE)
    }
  }

  /** Buffered events, or else those that are read; undefined if there is nothing new. */
  async #takeOrRead(store: Store, size: number): Promise<Due | undefined> {
    const batch = this.#buffer.takeBatch(Date.now())
    if (batch) return batch
    if (!this.#buffer.mustRead) return undefined
    const { version, passedUpTo } = this.#buffer
    const at = Date.now()
    this.#buffer.clearBeforeRead()
    const page = await readInOrder(store, this.#lane, passedUpTo, size)
    // Nothing may be sent to it now: whatever comes later is read from its cursor.
    if (!page) {
      this.#buffer.requireRead()
      return undefined
    }
    this.#cursor = page.webhook.cursor
    const upTo = Math.max(page.seenUpTo, page.webhook.cursor)
    if (this.#buffer.version === version) this.#buffer.markTried(upTo)
    return { ...page, upTo, at }
  }

  /** `retryLater` is called with the times of later attempts that delay no other event. */
  async #deliverInOrder(
    store: Store,
    due: Due,
    version: number,
    retryLater: (at: number | undefined) => void,
  ): Promise<Progress> {
    let used = 0
    for (const event of due.events) {
      const dueAt = event.nextAttemptAt ?? 0
      if (dueAt > Date.now()) return this.#block(dueAt)
      if (this.#buffer.version !== version) return { kind: 'ends', at: undefined }
      if (Date.now() - due.at > FRESH_MS && used > 0) {
        this.#buffer.requireRead(due.events[used - 1]?.seq)
        return { kind: 'stale', used }
      }
      const { retryAt, blocks, halt } = await this.#attempt(store, due, event)
      if (halt) return { kind: 'ends', at: undefined }
      if (blocks) return this.#block(retryAt)
      retryLater(retryAt)
      this.#cursor = Math.max(this.#cursor, event.seq)
      used++
    }
    return { kind: 'passed' }
  }

  /** The events behind the next one wait with it. */
  #block(until: number | undefined): Progress {
    this.#buffer.requireRead()
    this.#blockedUntil = until ?? 0
    return { kind: 'ends', at: until }
  }

  async #writePassed(store: Store, { url }: WebhookRow, upTo: number): Promise<void> {
    if (upTo - this.#cursor < PASSED_UNWRITTEN) return
    await store.write([moveCursor(this.#lane, url, upTo)])
    this.#cursor = upTo
  }

  async #drainRetries(store: Store): Promise<number | undefined> {
    const tried = new Set<number>()
    for (;;) {
      const { version } = this.#buffer
      const at = Date.now()
      const page = await readRetries(store, this.#lane, MAX_PAGE / 2)
      if (!page || page.events.length === 0) return undefined
      for (const [place, event] of page.events.entries()) {
        const isStale = place > 0 && Date.now() - at > FRESH_MS
        if (isStale || this.#buffer.version !== version) break
        const dueAt = event.nextAttemptAt ?? 0
        if (dueAt > Date.now()) return dueAt
        // Either a long pass, or its result was not written, because the webhook is another one by now.
        if (tried.has(event.seq)) return Date.now() + AGAIN_AFTER
        tried.add(event.seq)
        await this.#attempt(store, page, event)
      }
    }
  }

  async #attempt(store: Store, target: LaneTarget, event: DueEvent): Promise<AttemptResult> {
    const result = await attemptDelivery(this.#env, store, target, event)
    // Stored before the next event is sent, so that after a kill a webhook gets at most this one again.
    await writeWithRetries(store, result.statements)
    if (result.halt) this.endPasses()
    return result
  }
}

const findSooner = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
