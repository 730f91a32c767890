// The outbox holds reports for the edge: stored with the rows they are about, sent in order, deleted when acknowledged.

import { Coalescer } from '@msgnet/shared/coalescer.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import type { EventReport, Report, StateReport } from '@msgnet/shared/wire/host-reports.ts'
import { MAX_REPORTS_PER_FRAME } from '@msgnet/shared/wire/link-frames.ts'
import { crashIfArmed } from '../process/crash-points.ts'
import type { Log } from '../process/host-log.ts'
import type { FencedStore } from '../store/fenced-store.ts'
import type { Hold } from '../store/held-report-store.ts'
import { statement } from '../store/host-store.ts'
import { addReport } from '../store/report-store.ts'

/** In UTF-8. Larger WebSocket messages make the edge's runtime slow; one report alone may be larger, up to the limits of an event. */
const FRAME_BYTES = 256 * 1024

/** Reads no more than a frame holds, because a hundred times as much may be waiting. */
const NEXT = `WITH waiting AS (SELECT n, octet_length(report) AS bytes FROM outbox
    WHERE n > ?1 AND holder = ?2 ORDER BY n LIMIT ${MAX_REPORTS_PER_FRAME}),
  placed AS (SELECT n, sum(bytes) OVER (ORDER BY n) AS upto, row_number() OVER (ORDER BY n) AS place,
    count(*) OVER () AS found FROM waiting)
  SELECT outbox.n, report, found FROM placed JOIN outbox ON outbox.n = placed.n
  WHERE upto <= ${FRAME_BYTES} OR place = 1 ORDER BY outbox.n`
const DEPTH = 'SELECT count(*) AS waiting FROM outbox WHERE holder = ?'
/** States have no time, but none is the oldest report for long. */
const OLDEST = "SELECT json_extract(report, '$.at') AS at FROM outbox WHERE holder = ? ORDER BY n LIMIT 1"
const DELETE = 'DELETE FROM outbox WHERE n <= ? AND holder = ?'
const DELETE_EXCEPT = `${DELETE}
  AND n > coalesce((SELECT value FROM json_each(?) WHERE key = outbox.instance), 0)`
/** Refused reports of an instance without a session in this store: no host will report them. */
const ORPHANS = `FROM outbox WHERE n <= ? AND holder = ? AND instance IN (SELECT value FROM json_each(?))
  AND instance NOT IN (SELECT instance FROM sessions)`
const COUNT_ORPHANS = `SELECT instance, count(*) AS reports ${ORPHANS} GROUP BY instance`
const REMAINING = 'SELECT DISTINCT instance FROM outbox WHERE n <= ? AND holder = ?'

export type NewReport = Omit<StateReport, 'n'> | Omit<EventReport, 'n'>

/** The items of a frame, each as JSON. */
export type SendItems = (items: string[]) => void

/** Adds the number, which is stored as the row's key only. */
const addNumber = (n: number, report: string) => `{"n":${n},${report.slice(1)}`

const isStateReport = (report: NewReport): report is Omit<StateReport, 'n'> => report.t === 'state'

export class Outbox {
  readonly #store: FencedStore
  readonly #log: Log
  #send: SendItems | undefined
  #credit = 0
  #sentUpTo = 0
  /** The pairing of each instance's newest state. It is not stored, because the text of a QR code holds the device's own secret. */
  readonly #pairings = new Map<string, { rev: number; pairing: StateReport['state']['pairing'] }>()
  /** The last `n` of each frame that is not acknowledged yet. */
  #inFlight: number[] = []
  /** Grows whenever reports may have been added to the store. */
  #additions = 0
  /** As it was at the last read that left no report unread: until it has grown there is nothing to read. */
  #readAdditions = 0
  /** By instance, the last `n` that the edge has refused on this link, until the new host has taken the reports over. */
  readonly #refused = new Map<string, number>()
  /** Of `waitForRoom`. */
  #waiters: (() => void)[] = []
  readonly #pump = new Coalescer(() => this.#sendFrames())

  constructor(store: FencedStore, log: Log) {
    this.#store = store
    this.#log = log
  }

  /** Commits the reports of an instance in one batch with the rows that they are about. `holds`: the reports that are not sent yet. */
  async commit(
    instance: string,
    statements: Statement[],
    reports: NewReport[],
    holds?: ReadonlyMap<NewReport, Hold>,
  ): Promise<void> {
    const { holder } = this.#store
    const rows = reports.map((report) =>
      addReport(holder, instance, report, JSON.stringify(this.#removePairing(report)), holds?.get(report)),
    )
    // A commit of nothing, as at the start of a session, is not the one that a test waits for.
    const isEmpty = statements.length === 0 && rows.length === 0
    if (!isEmpty) crashIfArmed('before-outbox-commit')
    try {
      await this.#store.commitFor(instance, [...statements, ...rows])
    } finally {
      // A commit that failed may have taken effect all the same.
      this.#additions += rows.length
    }
    if (!isEmpty) crashIfArmed('after-outbox-commit')
    // The edge decides requests by a session's state, so it must not wait behind events. It is sent again in its turn.
    if (this.#inFlight.length >= this.#credit)
      for (const report of reports.filter(isStateReport)) this.sendStateNow(report)
    if (rows.length > 0) this.#sendWaiting()
  }

  /** Sends a state at once, before all waiting reports; it is dropped if the link is down. */
  sendStateNow(report: Omit<StateReport, 'n'>): void {
    this.#send?.([JSON.stringify({ ...report, n: 0 })])
  }

  /** Sends the waiting reports, from the first unacknowledged on, at most `credit` frames ahead of the acknowledgements. */
  open(send: SendItems, credit: number): void {
    this.#send = send
    this.#credit = credit
    this.#sentUpTo = 0
    this.#inFlight = []
    this.#refused.clear()
    this.sendStored()
    this.#wakeWaiters()
  }

  #wakeWaiters(): void {
    for (const resolve of this.#waiters.splice(0)) resolve()
  }

  close(): void {
    this.#send = undefined
  }

  /** Resolves when the edge keeps up. For reports that can wait: those of others would wait behind them. */
  async waitForRoom(): Promise<void> {
    while (this.#inFlight.length > 1 || !this.#send)
      await new Promise<void>((resolve) => this.#waiters.push(resolve))
  }

  /** Sends reports that were not committed here. */
  sendStored(): void {
    this.#additions += 1
    this.#sendWaiting()
  }

  /**
   * Deletes reports up to `upTo`, except those of instances that have `moved`: the edge refused them, and they stay for the new host
   * to report.
   */
  async acknowledge(upTo: number, moved: string[]): Promise<void> {
    const store = this.#store
    const refused = this.#refused
    // Only what was sent on this link can have arrived.
    const arrived = Math.min(upTo, this.#sentUpTo)
    if (arrived === 0) return
    this.#inFlight = this.#inFlight.filter((n) => n > arrived)
    this.#wakeWaiters()
    for (const instance of moved) refused.set(instance, arrived)
    const deletion =
      refused.size === 0
        ? statement(DELETE, arrived, store.holder)
        : statement(DELETE_EXCEPT, arrived, store.holder, JSON.stringify(Object.fromEntries(refused)))
    // It includes an earlier cleanup that still waits.
    const deleted = store.scheduleCleanup('outbox', () => [deletion])
    this.#sendWaiting()
    if (store.shared) await deleted
    if (moved.length > 0) await this.#dropOrphans(arrived, moved)
    if (refused.size > 0) await this.#dropReassigned()
  }

  /** The number of waiting reports. */
  async countWaiting(): Promise<number> {
    await this.#store.runCleanups()
    const [row] = await this.#store.rows(DEPTH, this.#store.holder)
    return Number(row?.waiting)
  }

  /** When the oldest event that waits was reported, in milliseconds since the epoch; undefined when none waits. */
  async findOldest(): Promise<number | undefined> {
    const [row] = await this.#store.rows(OLDEST, this.#store.holder)
    return row?.at == null ? undefined : Number(row.at)
  }

  /** After a failure the outbox is read again with the next report, acknowledgement or link. */
  #sendWaiting(): void {
    this.#pump.run().catch((error) => this.#log.error({ error }, 'failed to read outbox'))
  }

  async #sendFrames(): Promise<void> {
    while (this.#send && this.#inFlight.length < this.#credit && this.#readAdditions < this.#additions) {
      const send = this.#send
      const additions = this.#additions
      const { items, last, more } = await this.#readFrame(this.#sentUpTo)
      // A new link may have opened while the disk was read: it starts from the beginning.
      if (this.#send !== send) continue
      if (!more) this.#readAdditions = additions
      if (items.length === 0) continue
      this.#sentUpTo = last
      this.#inFlight.push(last)
      send(items)
    }
  }

  /** The reports after `after` in the form that is sent, the number of the last one, and whether more may wait behind it. */
  async #readFrame(after: number): Promise<{ items: string[]; last: number; more: boolean }> {
    const items: string[] = []
    let last = after
    let waiting = 0
    for (const { n, report, found } of await this.#store.rows(NEXT, after, this.#store.holder)) {
      last = Number(n)
      waiting = Number(found)
      items.push(this.#addPairing(addNumber(last, String(report))))
    }
    return { items, last, more: items.length < waiting || waiting === MAX_REPORTS_PER_FRAME }
  }

  /** The report without its pairing, which must not be stored. */
  #removePairing(report: NewReport): NewReport {
    if (!isStateReport(report)) return report
    const { instance, state } = report
    this.#pairings.delete(instance)
    if (!state.pairing) return report
    this.#pairings.set(instance, { rev: state.rev, pairing: state.pairing })
    return { ...report, state: { ...state, pairing: null } }
  }

  #addPairing(json: string): string {
    if (this.#pairings.size === 0 || !json.includes('"t":"state"')) return json
    const report: Report = JSON.parse(json)
    if (report.t !== 'state') return json
    const known = this.#pairings.get(report.instance)
    if (known?.rev !== report.state.rev) return json
    return JSON.stringify({ ...report, state: { ...report.state, pairing: known.pairing } })
  }

  /** They would be sent again on every link, and always refused. */
  async #dropOrphans(arrived: number, moved: string[]): Promise<void> {
    const values = [arrived, this.#store.holder, JSON.stringify(moved)] as const
    for (const { instance, reports } of await this.#store.rows(COUNT_ORPHANS, ...values))
      this.#log.error(
        { instance, reports },
        'reports dropped: refused, and the instance is not here any more',
      )
    await this.#store.commit([statement(`DELETE ${ORPHANS}`, ...values)])
  }

  async #dropReassigned(): Promise<void> {
    const before = [...this.#refused]
    const upTo = Math.max(...this.#refused.values())
    const found = await this.#store.rows(REMAINING, upTo, this.#store.holder)
    const here = new Set(found.map(({ instance }) => instance))
    for (const [instance, refusedUpTo] of before)
      if (!here.has(instance) && this.#refused.get(instance) === refusedUpTo) this.#refused.delete(instance)
  }
}
