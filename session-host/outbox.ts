// Reports on their way to the edge: on disk with what they tell of, sent in order, forgotten when acknowledged.

import type { Statement } from '../shared/db/statements.ts'
import { REPORTS_A_FRAME } from '../shared/wire/frames.ts'
import type { EventReport, Report, StateReport } from '../shared/wire/reports.ts'
import { crashPoint } from './crash.ts'
import type { Log } from './log.ts'
import type { HeldStore } from './store/holding.ts'
import { statement } from './store/store.ts'

/** Larger WebSocket messages make the edge's runtime slow, and at 1 MiB it takes none. */
const FRAME_CHARACTERS = 256 * 1024

const NEXT = 'SELECT n, report FROM outbox WHERE n > ? AND holder = ? ORDER BY n LIMIT ?'
const DEPTH = 'SELECT count(*) AS waiting FROM outbox WHERE holder = ?'
const ADD = 'INSERT INTO outbox (holder, instance, report) VALUES (?, ?, ?)'
const FORGET = `DELETE FROM outbox WHERE n <= ? AND holder = ?
  AND instance NOT IN (SELECT value FROM json_each(?))`

export type NewReport = Omit<StateReport, 'n'> | Omit<EventReport, 'n'>

export interface Outbox {
  /** Commits the reports of an instance in one batch with the rows that they tell of. */
  commit(instance: string, statements: Statement[], reports: NewReport[]): Promise<void>
  /** Tells a state at once, past all that waits: heard if the link is up, and gone if it is not. */
  shout(report: Omit<StateReport, 'n'>): void
  /** Sends what waits, from the first unacknowledged on, at most `credit` frames ahead of the acknowledgements. */
  open(send: (items: Report[]) => void, credit: number): void
  close(): void
  /** Of the instances that have `moved` nothing was taken: their new host has it to report. */
  acknowledge(upTo: number, moved: string[]): Promise<void>
  /** There is more, which was not committed here. */
  kick(): void
  /** Reports that wait. */
  depth(): Promise<number>
}

const isState = (report: NewReport): report is Omit<StateReport, 'n'> => report.t === 'state'

export function makeOutbox(store: HeldStore, log: Log): Outbox {
  let send: ((items: Report[]) => void) | undefined
  let credit = 0
  let sentUpTo = 0
  /** Of each instance's newest state: the store does not keep it, because the text of a QR code holds the device's own secret. */
  const pairings = new Map<string, { rev: number; pairing: StateReport['state']['pairing'] }>()
  /** The last `n` of each frame that is on its way. */
  let underway: number[] = []
  let pumping = false
  let askedAgain = false

  async function nextFrame(after: number): Promise<Report[]> {
    const items: Report[] = []
    let characters = 0
    for (const { n, report } of await store.rows(NEXT, after, store.holder, REPORTS_A_FRAME)) {
      const json = String(report)
      characters += json.length
      if (items.length > 0 && characters > FRAME_CHARACTERS) break
      items.push(completed({ ...JSON.parse(json), n: Number(n) }))
    }
    return items
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

  function completed(report: Report): Report {
    if (report.t !== 'state') return report
    const known = pairings.get(report.instance)
    if (known?.rev !== report.state.rev) return report
    return { ...report, state: { ...report.state, pairing: known.pairing } }
  }

  async function pump(): Promise<void> {
    askedAgain = true
    if (pumping) return
    pumping = true
    try {
      while (askedAgain) {
        askedAgain = false
        while (send && underway.length < credit) {
          const line = send
          const items = await nextFrame(sentUpTo)
          const last = items.at(-1)
          if (!last) break
          // Another link may have taken over while the disk was read: it starts from the beginning.
          if (send !== line) continue
          sentUpTo = last.n
          underway.push(last.n)
          line(items)
        }
      }
    } finally {
      pumping = false
    }
  }

  const shout = (report: Omit<StateReport, 'n'>) => send?.([{ ...report, n: 0 }])

  // What could not be read now is read when the next report, acknowledgement or link comes.
  const kick = () => void pump().catch((thrown) => log.error({ err: thrown }, 'the outbox could not be read'))

  return {
    async commit(instance, statements, reports) {
      const rows = reports.map((report) =>
        statement(ADD, store.holder, instance, JSON.stringify(withheld(report))),
      )
      crashPoint('before-outbox-commit')
      await store.commitFor(instance, [...statements, ...rows])
      crashPoint('after-outbox-commit')
      // Callers are judged by a session's state: it must not wait behind all the events that do. It comes again in its turn.
      if (underway.length >= credit) reports.filter(isState).forEach(shout)
      if (rows.length > 0) kick()
    },
    shout,
    open(line, allowed) {
      send = line
      credit = allowed
      sentUpTo = 0
      underway = []
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
      // What cannot be forgotten now is forgotten with a later one.
      const forgotten = [statement(FORGET, arrived, store.holder, JSON.stringify(moved))]
      await store.commit(forgotten).finally(kick)
    },
    async depth() {
      const [row] = await store.rows(DEPTH, store.holder)
      return Number(row?.waiting)
    },
  }
}
