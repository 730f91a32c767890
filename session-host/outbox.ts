// The outbox holds reports for the edge: stored with the rows they are about, sent in order, deleted when acknowledged.

import { Coalescer } from '../shared/coalescer.ts'
import type { Statement } from '../shared/db/prepared-queries.ts'
import { truncateToLimits } from '../shared/truncation.ts'
import type { EventReport, Report, StateReport } from '../shared/wire/host-reports.ts'
import { MAX_REPORTS_PER_FRAME } from '../shared/wire/link-frames.ts'
import { crashIfArmed } from './crash-points.ts'
import type { Log } from './host-log.ts'
import type { Metrics } from './host-metrics.ts'
import type { FencedStore } from './store/fenced-store.ts'
import { statement } from './store/host-store.ts'
import { addReport } from './store/report-store.ts'

/** In UTF-8. Larger WebSocket messages make the edge's runtime slow; one report alone may be larger. */
const FRAME_BYTES = 256 * 1024
/** The most bytes of one report. Sessions make none that large, but an earlier version may have left one. */
const REPORT_BYTES = 768 * 1024
/** A larger report is cut to this. */
const CUT_TO = { text: 128 * 1024, json: 256 * 1024 }

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

export interface Outbox {
  /** Commits the reports of an instance in one batch with the rows that they are about. */
  commit(instance: string, statements: Statement[], reports: NewReport[]): Promise<void>
  /** Sends a state at once, before all waiting reports; it is lost if the link is down. */
  sendStateNow(report: Omit<StateReport, 'n'>): void
  /** Sends the waiting reports, from the first unacknowledged on, at most `credit` frames ahead of the acknowledgements. */
  open(send: SendItems, credit: number): void
  close(): void
  /**
   * Deletes reports up to `buildMessageRange`, except those of instances that have `moved`: the edge refused them, and they stay for the new host
   * to report.
   */
  acknowledge(upTo: number, moved: string[]): Promise<void>
  /** Sends reports that were not committed here. */
  sendStored(): void
  /** The number of waiting reports. */
  countWaiting(): Promise<number>
  /** When the oldest event that waits was reported, in milliseconds since the epoch; undefined when none waits. */
  findOldest(): Promise<number | undefined>
}

/** Adds the number, which is stored as the row's key only. */
const addNumber = (n: number, report: string) => `{"n":${n},${report.slice(1)}`

const isStateReport = (report: NewReport): report is Omit<StateReport, 'n'> => report.t === 'state'

export function openOutbox(store: FencedStore, log: Log, metrics?: Pick<Metrics, 'reportsCut'>): Outbox {
  let send: SendItems | undefined
  let credit = 0
  let sentUpTo = 0
  /** The pairing of each instance's newest state. It is not stored, because the text of a QR code holds the device's own secret. */
  const pairings = new Map<string, { rev: number; pairing: StateReport['state']['pairing'] }>()
  /** The last `n` of each frame that is not acknowledged yet. */
  let inFlight: number[] = []
  /** Grows with whatever may have added reports to the store. */
  let additions = 0
  /** As it was at the last read that left nothing behind: until it has grown there is nothing to read. */
  let readAdditions = 0
  /** By instance, the last `n` that the edge has refused on this link, until the new host has taken the reports over. */
  const refused = new Map<string, number>()

  /** The reports after `after` in the form that is sent, the number of the last one, and whether more may wait behind it. */
  async function nextFrame(after: number): Promise<{ items: string[]; last: number; more: boolean }> {
    const items: string[] = []
    let last = after
    let waiting = 0
    for (const { n, report, found } of await store.rows(NEXT, after, store.holder)) {
      last = Number(n)
      waiting = Number(found)
      const json = addPairing(addNumber(last, String(report)))
      const bytes = Buffer.byteLength(json)
      items.push(bytes > REPORT_BYTES ? cutReport(json, bytes) : json)
    }
    return { items, last, more: items.length < waiting || waiting === MAX_REPORTS_PER_FRAME }
  }

  /** A frame that the edge cannot take would be sent again forever, and block all reports behind it. */
  function cutReport(json: string, bytes: number): string {
    const report: Report = JSON.parse(json)
    const { instance, n } = report
    log.error({ instance, n, bytes }, 'a report is too large for a frame: most of it is cut')
    metrics?.reportsCut.inc()
    if (report.t !== 'event') return JSON.stringify(truncateToLimits(report, CUT_TO).value)
    const { value: payload } = truncateToLimits(report.payload, CUT_TO)
    return JSON.stringify({ ...report, payload: { ...payload, truncated: true } })
  }

  /** The report without its pairing, which must not be stored. */
  function removePairing(report: NewReport): NewReport {
    if (!isStateReport(report)) return report
    const { instance, state } = report
    pairings.delete(instance)
    if (!state.pairing) return report
    pairings.set(instance, { rev: state.rev, pairing: state.pairing })
    return { ...report, state: { ...state, pairing: null } }
  }

  function addPairing(json: string): string {
    if (pairings.size === 0 || !json.includes('"t":"state"')) return json
    const report: Report = JSON.parse(json)
    if (report.t !== 'state') return json
    const known = pairings.get(report.instance)
    if (known?.rev !== report.state.rev) return json
    return JSON.stringify({ ...report, state: { ...report.state, pairing: known.pairing } })
  }

  const pump = new Coalescer(async () => {
    while (send && inFlight.length < credit && readAdditions < additions) {
      const sendNow = send
      const until = additions
      const { items, last, more } = await nextFrame(sentUpTo)
      // A new link may have opened while the disk was read: it starts from the beginning.
      if (send !== sendNow) continue
      if (!more) readAdditions = until
      if (items.length === 0) continue
      sentUpTo = last
      inFlight.push(last)
      sendNow(items)
    }
  })

  /** They would be sent again on every link, and always refused. */
  async function dropOrphans(arrived: number, moved: string[]): Promise<void> {
    const which = [arrived, store.holder, JSON.stringify(moved)] as const
    for (const { instance, reports } of await store.rows(COUNT_ORPHANS, ...which))
      log.error({ instance, reports }, 'reports of an instance that is not here any more were refused')
    await store.commit([statement(`DELETE ${ORPHANS}`, ...which)])
  }

  async function dropReassigned(): Promise<void> {
    const previous = [...refused]
    const found = await store.rows(REMAINING, Math.max(...refused.values()), store.holder)
    const here = new Set(found.map(({ instance }) => instance))
    for (const [instance, upTo] of previous)
      if (!here.has(instance) && refused.get(instance) === upTo) refused.delete(instance)
  }

  const sendStateNow = (report: Omit<StateReport, 'n'>) => send?.([JSON.stringify({ ...report, n: 0 })])

  // After a failure the outbox is read again with the next report, acknowledgement or link.
  const sendWaiting = () =>
    void pump.run().catch((error) => log.error({ err: error }, 'the outbox could not be read'))

  function sendStored(): void {
    additions += 1
    sendWaiting()
  }

  return {
    async commit(instance, statements, reports) {
      const rows = reports.map((report) =>
        addReport(store.holder, instance, report, JSON.stringify(removePairing(report))),
      )
      crashIfArmed('before-outbox-commit')
      try {
        await store.commitFor(instance, [...statements, ...rows])
      } finally {
        // A commit that failed may have taken effect all the same.
        additions += rows.length
      }
      crashIfArmed('after-outbox-commit')
      // The edge decides requests by a session's state, so it must not wait behind events. It is sent again in its turn.
      if (inFlight.length >= credit) reports.filter(isStateReport).forEach(sendStateNow)
      if (rows.length > 0) sendWaiting()
    },
    sendStateNow,
    open(sendItems, allowed) {
      send = sendItems
      credit = allowed
      sentUpTo = 0
      inFlight = []
      refused.clear()
      sendStored()
    },
    close() {
      send = undefined
    },
    sendStored,
    async acknowledge(upTo, moved) {
      // Only what was sent on this link can have arrived.
      const arrived = Math.min(upTo, sentUpTo)
      if (arrived === 0) return
      inFlight = inFlight.filter((n) => n > arrived)
      for (const instance of moved) refused.set(instance, arrived)
      const deletion =
        refused.size === 0
          ? statement(DELETE, arrived, store.holder)
          : statement(DELETE_EXCEPT, arrived, store.holder, JSON.stringify(Object.fromEntries(refused)))
      // It includes an earlier cleanup that still waits.
      const deleted = store.scheduleCleanup('outbox', () => [deletion])
      sendWaiting()
      if (store.shared) await deleted
      if (moved.length > 0) await dropOrphans(arrived, moved)
      if (refused.size > 0) await dropReassigned()
    },
    async countWaiting() {
      await store.runCleanups()
      const [row] = await store.rows(DEPTH, store.holder)
      return Number(row?.waiting)
    },
    async findOldest() {
      const [row] = await store.rows(OLDEST, store.holder)
      return row?.at == null ? undefined : Number(row.at)
    },
  }
}
