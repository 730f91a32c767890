// Sends messages when they are due: one at a time of each instance, no faster than it may send, and none that is a day late.

import { Coalescer } from '@msgnet/shared/coalescer.ts'
import { DAY, MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import type { Connection } from '../driver/driver.ts'
import type { Lease } from '../process/lease.ts'
import type { Cancel, Clock } from '../process/machine-clock.ts'
import type { ScheduledMetrics } from '../scheduled/scheduled-metrics.ts'
import type { ScheduledQueue } from '../scheduled/scheduled-queue.ts'
import type { Session } from '../sessions/host-session.ts'
import { FencedError } from '../store/fenced-store.ts'
import { findDueRows, findScheduled, findSoonestDue, type ScheduledRow } from '../store/scheduled-store.ts'
import type { ActRunner } from './act-runner.ts'
import { type DueParts, type DueResult, runDueSend } from './run-due-send.ts'
import type { SendPace } from './send-pace.ts'

/** Instances that send at the same time. Many, because a message may show typing for a minute before it leaves. */
const MAX_AT_ONCE = 256
/** A message that is later than this is not sent any more. */
const MAX_LATE_MS = DAY
/** The clock of the machine may be set, and the machine may sleep. */
const MAX_PAUSE_MS = MINUTE
/** Of what is due, its instance is not connected: it is looked at again after so long. */
const RECHECK_MS = 2 * SECOND
const RETRY = { firstMs: 2 * SECOND, maxMs: 5 * MINUTE }

interface Parts extends DueParts {
  scheduled: ScheduledQueue
  acts: ActRunner
  lease: Pick<Lease, 'runs'>
  pace: SendPace
  metrics: ScheduledMetrics
  clock: Clock
}

interface Postponed {
  attempts: number
  until: number
  instance: string
  /** Over which it was tried. With another one its pause ends; absent if the pause has nothing to do with it. */
  network: Connection | undefined
}

export class DueSends {
  readonly #parts: Parts
  readonly #pump = new Coalescer(() => this.#startDue())
  /** Instances that send now, or that must wait until they may send again. */
  readonly #busy = new Set<string>()
  /** Those of them that send now: the others take no place. */
  #sending = 0
  /** Rows that were tried in vain, by their numbers. */
  readonly #postponed = new Map<number, Postponed>()
  readonly #stopping = new AbortController()
  #cancelTimer: Cancel = () => undefined

  constructor(parts: Parts) {
    this.#parts = parts
    parts.scheduled.onChange(() => this.wake())
    this.wake()
  }

  /** Looks for messages that are due. */
  wake(): void {
    if (this.#stopping.signal.aborted) return
    this.#pump.run().catch((error) => {
      this.#parts.log.error({ error }, 'failed to look for messages that are due')
      this.#setTimer(RETRY.firstMs)
    })
  }

  /** Begins no more. What is under way counts as acts, for which the host waits. */
  stop(): void {
    this.#stopping.abort()
    this.#cancelTimer()
  }

  async #startDue(): Promise<void> {
    const { scheduled, sessions, acts } = this.#parts
    for (const { instance, messageid } of await this.#findDue()) {
      const session = sessions.findSession(instance)
      if (!session || this.#stopping.signal.aborted) continue
      this.#busy.add(instance)
      this.#sending += 1
      acts.trackWork(instance, this.#handleRow(session, messageid))
    }
    const soonest = await findSoonestDue(scheduled.store, scheduled.store.holder)
    const ms = soonest === undefined ? MAX_PAUSE_MS : soonest - this.#now()
    this.#setTimer(Math.min(ms > 0 ? ms : RECHECK_MS, MAX_PAUSE_MS))
  }

  /** One message of each instance that does not send yet, for as many as there are places. */
  async #findDue() {
    const { scheduled, lease } = this.#parts
    const now = this.#now()
    const max = MAX_AT_ONCE - this.#sending
    const soonest =
      lease.runs && max > 0 ? await findSoonestDue(scheduled.store, scheduled.store.holder) : undefined
    if (soonest === undefined || soonest > now) return []
    return findDueRows(scheduled.store, {
      until: this.#listFree(now),
      postponed: this.#listPostponed(now),
      max,
    })
  }

  /** Those whose pause has not ended, unless their device has connected anew since. */
  #listPostponed(now: number): number[] {
    for (const [n, { until }] of this.#postponed) if (until < now - RETRY.maxMs) this.#postponed.delete(n)
    const { sessions } = this.#parts
    const isBack = ({ instance, network }: Postponed) =>
      network !== undefined && sessions.findSession(instance)?.network !== network
    return [...this.#postponed]
      .filter(([, postponed]) => postponed.until > now && !isBack(postponed))
      .map(([n]) => n)
  }

  /** An instance that is connected sends what is due; what is too late is ended without a connection. */
  #listFree(now: number): Record<string, number> {
    const free = this.#parts.sessions.listSessions().filter(({ instance }) => !this.#busy.has(instance))
    return Object.fromEntries(
      free.map(({ instance, status }) => [instance, status === 'connected' ? now : now - MAX_LATE_MS]),
    )
  }

  async #handleRow(session: Session, messageid: string): Promise<void> {
    const { scheduled, log } = this.#parts
    const { instance } = session
    const name = { instance, messageid }
    let waitMs = 0
    if (!scheduled.take(name)) return this.#freeInstance(instance, RECHECK_MS)
    try {
      // Read again: it may have been cancelled until it was taken.
      const row = await findScheduled(scheduled.store, instance, messageid)
      if (row) waitMs = await this.#sendRow(session, row)
    } catch (error) {
      waitMs = RETRY.firstMs
      // Another host has the instance now, and its rows.
      if (!(error instanceof FencedError))
        log.error({ instance, messageid, error }, 'failed to end scheduled message')
    } finally {
      scheduled.release(name)
      this.#freeInstance(instance, waitMs)
    }
  }

  /** Returns how long the instance waits before its next one. */
  async #sendRow(session: Session, row: ScheduledRow): Promise<number> {
    const why = this.#findHindrance(session, row)
    if (why) {
      await this.#endRow(session, row, why)
      return 0
    }
    const waitMs = this.#parts.pace.acquireDue(row.instance, this.#now() - row.dueAt)
    if (waitMs > 0) return waitMs
    const { network } = session
    const result = await runDueSend(this.#parts, session, row, this.#stopping.signal)
    await this.#recordResult(session, row, result, network)
    return 0
  }

  async #recordResult(
    session: Session,
    row: ScheduledRow,
    result: DueResult,
    network: Connection | undefined,
  ): Promise<void> {
    if (result.kind === 'failed') return this.#endRow(session, row, result.error)
    if (result.kind === 'later') return this.#postpone(row, network)
    // The commit before it left has failed: then its row is still there, and it has not left. That ends a connection too.
    if (result.kind === 'unknown' && (await this.#isStored(row))) return this.#postpone(row)
    this.#postponed.delete(row.n)
    this.#parts.metrics.countSend(result.kind, this.#now() - row.dueAt)
  }

  async #isStored({ instance, messageid }: ScheduledRow): Promise<boolean> {
    return (await findScheduled(this.#parts.scheduled.store, instance, messageid)) !== undefined
  }

  async #endRow(session: Session, row: ScheduledRow, error: string): Promise<void> {
    const { metrics, log } = this.#parts
    await session.schedule.endRow(row, error)
    this.#postponed.delete(row.n)
    metrics.countSend(error === 'missed' ? 'missed' : 'refused', this.#now() - row.dueAt)
    log.warn({ instance: row.instance, messageid: row.messageid, error }, 'scheduled message is not sent')
  }

  /** Why it must not be sent at all. */
  #findHindrance({ state }: Session, { ended, dueAt, record }: ScheduledRow): string | undefined {
    if (ended !== '') return ended
    if (dueAt <= this.#now() - MAX_LATE_MS) return 'missed'
    return record.owner === state.owner ? undefined : 'other_account'
  }

  #postpone({ n, instance }: ScheduledRow, network?: Connection): void {
    const attempts = (this.#postponed.get(n)?.attempts ?? 0) + 1
    const ms = Math.min(RETRY.firstMs * 2 ** Math.min(attempts - 1, 20), RETRY.maxMs)
    this.#postponed.set(n, { attempts, until: this.#now() + ms, instance, network })
    this.#parts.metrics.countRetry()
  }

  /** After `ms`; its place is free at once. */
  #freeInstance(instance: string, ms: number): void {
    this.#sending -= 1
    const free = () => {
      this.#busy.delete(instance)
      this.wake()
    }
    if (ms > 0) this.#parts.clock.runAfter(ms, free)
    else free()
    // Others may have waited for its place.
    if (ms > 0 && this.#sending === MAX_AT_ONCE - 1) this.wake()
  }

  /** In milliseconds since the epoch; a test moves it with the clock. */
  #now(): number {
    return Math.round(Date.now() + this.#parts.clock.now() - performance.now())
  }

  #setTimer(ms: number): void {
    this.#cancelTimer()
    if (!this.#stopping.signal.aborted) this.#cancelTimer = this.#parts.clock.runAfter(ms, () => this.wake())
  }
}
