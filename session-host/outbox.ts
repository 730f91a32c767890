// Reports on their way to the edge: on disk with what they tell of, sent in order, forgotten when acknowledged.

import { bounded } from '../shared/bounds.ts'
import { coalesce } from '../shared/coalesce.ts'
import type { Statement } from '../shared/db/statements.ts'
import { REPORTS_A_FRAME } from '../shared/wire/frames.ts'
import type { EventReport, Report, StateReport } from '../shared/wire/reports.ts'
import { crashPoint } from './crash.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { FencedStore } from './store/fencing.ts'
import { addReport } from './store/reports.ts'
import { statement } from './store/store.ts'

/** In UTF-8. Larger WebSocket messages make the edge's runtime slow; one report alone may be larger. */
const FRAME_BYTES = 256 * 1024
/** Of a report as it travels. Sessions make none so large, but what an earlier version has left may be. */
const REPORT_BYTES = 768 * 1024
/** What is left of one that is larger. */
const CUT_TO = { text: 128 * 1024, json: 256 * 1024 }

/** No more than a frame holds: what waits may be a hundred times as much, and is not read for each frame anew. */
const NEXT = `WITH waiting AS (SELECT n, octet_length(report) AS bytes FROM outbox
    WHERE n > ?1 AND holder = ?2 ORDER BY n LIMIT ${REPORTS_A_FRAME}),
  placed AS (SELECT n, sum(bytes) OVER (ORDER BY n) AS upto, row_number() OVER (ORDER BY n) AS place FROM waiting)
  SELECT outbox.n, report FROM placed JOIN outbox ON outbox.n = placed.n
  WHERE upto <= ${FRAME_BYTES} OR place = 1 ORDER BY outbox.n`
const DEPTH = 'SELECT count(*) AS waiting FROM outbox WHERE holder = ?'
/** States do not say when they were, but none is old for long. */
const OLDEST = "SELECT json_extract(report, '$.at') AS at FROM outbox WHERE holder = ? ORDER BY n LIMIT 1"
const FORGET = 'DELETE FROM outbox WHERE n <= ? AND holder = ?'
const FORGET_BUT = `${FORGET}
  AND n > coalesce((SELECT value FROM json_each(?) WHERE key = outbox.instance), 0)`
/** What is refused of an instance that has no session in this store is nobody's to report. */
const NOBODYS = `FROM outbox WHERE n <= ? AND holder = ? AND instance IN (SELECT value FROM json_each(?))
  AND instance NOT IN (SELECT instance FROM sessions)`
const COUNT_NOBODYS = `SELECT instance, count(*) AS reports ${NOBODYS} GROUP BY instance`
const STILL_HERE = 'SELECT DISTINCT instance FROM outbox WHERE n <= ? AND holder = ?'

export type NewReport = Omit<StateReport, 'n'> | Omit<EventReport, 'n'>

/** The items of a frame, each as JSON. */
export type SendItems = (items: string[]) => void

export interface Outbox {
  /** Commits the reports of an instance in one batch with the rows that they tell of. */
  commit(instance: string, statements: Statement[], reports: NewReport[]): Promise<void>
  /** Sends a state at once, past all that waits; it is lost if the link is down. */
  sendPast(report: Omit<StateReport, 'n'>): void
  /** Sends what waits, from the first unacknowledged on, at most `credit` frames ahead of the acknowledgements. */
  open(send: SendItems, credit: number): void
  close(): void
  /**
   * Of the instances that have `moved` nothing was taken: it stays, whatever else is acknowledged, for their new host to
   * report.
   */
  acknowledge(upTo: number, moved: string[]): Promise<void>
  /** There is more, which was not committed here. */
  kick(): void
  /** Reports that wait. */
  depth(): Promise<number>
  /** When the oldest event that waits was reported, in milliseconds since the epoch; undefined when none waits. */
  oldest(): Promise<number | undefined>
}

/** It is kept without: its row's key is its number. */
const numbered = (n: number, report: string) => `{"n":${n},${report.slice(1)}`

const isState = (report: NewReport): report is Omit<StateReport, 'n'> => report.t === 'state'

export function makeOutbox(store: FencedStore, log: Log, metrics?: Pick<Metrics, 'reportsCut'>): Outbox {
  let send: SendItems | undefined
  let credit = 0
  let sentUpTo = 0
  /** Of each instance's newest state: the store does not keep it, because the text of a QR code holds the device's own secret. */
  const pairings = new Map<string, { rev: number; pairing: StateReport['state']['pairing'] }>()
  /** The last `n` of each frame that is on its way. */
  let underway: number[] = []
  /** By instance, up to which `n` the edge has refused what was sent on this link, until its new host has taken it over. */
  const refused = new Map<string, number>()

  /** What waits behind `after`, as it travels, and the last of it. */
  async function nextFrame(after: number): Promise<{ items: string[]; last: number }> {
    const items: string[] = []
    let last = after
    for (const { n, report } of await store.rows(NEXT, after, store.holder)) {
      last = Number(n)
      const json = completed(numbered(last, String(report)))
      const bytes = Buffer.byteLength(json)
      items.push(bytes > REPORT_BYTES ? cut(json, bytes) : json)
    }
    return { items, last }
  }

  /** A frame that the edge cannot take would come again for ever, and hold back all that waits behind it. */
  function cut(json: string, bytes: number): string {
    const report: Report = JSON.parse(json)
    const { instance, n } = report
    log.error({ instance, n, bytes }, 'a report is too large for a frame: most of it is cut')
    metrics?.reportsCut.inc()
    if (report.t !== 'event') return JSON.stringify(bounded(report, CUT_TO).value)
    const { value: payload } = bounded(report.payload, CUT_TO)
    return JSON.stringify({ ...report, payload: { ...payload, truncated: true } })
  }

  /** As the store may keep it. */
  function withheld(report: NewReport): NewReport {
    if (!isState(report)) return report
    const { instance, state } = report
    pairings.delete(instance)
    if (!state.pairing) return report
    pairings.set(instance, { rev: state.rev, pairing: state.pairing })
    return { ...report, state: { ...state, pairing: null } }
  }

  function completed(json: string): string {
    if (pairings.size === 0 || !json.includes('"t":"state"')) return json
    const report: Report = JSON.parse(json)
    if (report.t !== 'state') return json
    const known = pairings.get(report.instance)
    if (known?.rev !== report.state.rev) return json
    return JSON.stringify({ ...report, state: { ...report.state, pairing: known.pairing } })
  }

  const pump = coalesce(async () => {
    while (send && underway.length < credit) {
      const sendNow = send
      const { items, last } = await nextFrame(sentUpTo)
      if (items.length === 0) return
      // Another link may have taken over while the disk was read: it starts from the beginning.
      if (send !== sendNow) continue
      sentUpTo = last
      underway.push(last)
      sendNow(items)
    }
  })

  /** They would come again with every link, and never be taken. */
  async function dropNobodys(arrived: number, moved: string[]): Promise<void> {
    const which = [arrived, store.holder, JSON.stringify(moved)] as const
    for (const { instance, reports } of await store.rows(COUNT_NOBODYS, ...which))
      log.error({ instance, reports }, 'reports of an instance that is not here any more were refused')
    await store.commit([statement(`DELETE ${NOBODYS}`, ...which)])
  }

  async function dropTakenOver(): Promise<void> {
    const asked = [...refused]
    const found = await store.rows(STILL_HERE, Math.max(...refused.values()), store.holder)
    const here = new Set(found.map(({ instance }) => instance))
    for (const [instance, upTo] of asked)
      if (!here.has(instance) && refused.get(instance) === upTo) refused.delete(instance)
  }

  const sendPast = (report: Omit<StateReport, 'n'>) => send?.([JSON.stringify({ ...report, n: 0 })])

  // What could not be read now is read when the next report, acknowledgement or link comes.
  const kick = () =>
    void pump.run().catch((thrown) => log.error({ err: thrown }, 'the outbox could not be read'))

  return {
    async commit(instance, statements, reports) {
      const rows = reports.map((report) =>
        addReport(store.holder, instance, report, JSON.stringify(withheld(report))),
      )
      crashPoint('before-outbox-commit')
      await store.commitFor(instance, [...statements, ...rows])
      crashPoint('after-outbox-commit')
      // Callers are judged by a session's state: it must not wait behind all the events that do. It comes again in its turn.
      if (underway.length >= credit) reports.filter(isState).forEach(sendPast)
      if (rows.length > 0) kick()
    },
    sendPast,
    open(sendItems, allowed) {
      send = sendItems
      credit = allowed
      sentUpTo = 0
      underway = []
      refused.clear()
      kick()
    },
    close() {
      send = undefined
    },
    kick,
    async acknowledge(upTo, moved) {
      // Only what was sent on this link can have arrived.
      const arrived = Math.min(upTo, sentUpTo)
      if (arrived === 0) return
      underway = underway.filter((n) => n > arrived)
      for (const instance of moved) refused.set(instance, arrived)
      const forget =
        refused.size === 0
          ? statement(FORGET, arrived, store.holder)
          : statement(FORGET_BUT, arrived, store.holder, JSON.stringify(Object.fromEntries(refused)))
      // An earlier one that waits is part of this one.
      const forgotten = store.later('outbox', () => [forget])
      kick()
      if (store.shared) await forgotten
      if (moved.length > 0) await dropNobodys(arrived, moved)
      if (refused.size > 0) await dropTakenOver()
    },
    async depth() {
      await store.tidyUp()
      const [row] = await store.rows(DEPTH, store.holder)
      return Number(row?.waiting)
    },
    async oldest() {
      const [row] = await store.rows(OLDEST, store.holder)
      return row?.at == null ? undefined : Number(row.at)
    },
  }
}
