// A session's state. Each change is one batch on disk, with its report and, when the status changes or the version is outdated, its event.

import { MAX_SHOWN_GAPS, type ReportedCoverage, type Span } from '@msgnet/shared/contract/coverage.ts'
import { noHistory } from '@msgnet/shared/contract/history.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { extractPhone } from '@msgnet/shared/jid.ts'
import type { SessionState } from '@msgnet/shared/wire/session-state.ts'
import { findStoreFault } from '../process/store-fault.ts'
import type { NewReport, Outbox } from '../reports/outbox.ts'
import type { GapRow } from '../store/gap-store.ts'
import type { Store } from '../store/host-store.ts'
import { type SessionRow, storeOnline, storeSession } from '../store/session-store.ts'

export type StateChange = Partial<Omit<SessionState, 'rev' | 'history' | 'coverage'>> & {
  wanted?: boolean
  history?: SessionRow['history']
  coverage?: SessionRow['coverage']
  /** For gaps as they are when the change is made. */
  changeGaps?: (gaps: GapRow[]) => GapRow[]
  /** The absence that has ended: in the event only. */
  gap?: Span | undefined
}

/** Before the last start this many changes may have been reported without being stored: new reports need a higher rev. */
const UNSTORED_REVS = 1000

export class StoredState {
  #row: SessionRow
  #state: SessionState
  readonly #store: Store
  readonly #outbox: Outbox
  readonly #listeners = new Set<() => void>()
  /** The oldest first; undefined until they are loaded. */
  #gaps: GapRow[] | undefined

  constructor(store: Store, outbox: Outbox, row: SessionRow) {
    this.#store = store
    this.#outbox = outbox
    // A process that was killed was up until the time that it stored last.
    this.#row = row.coverage ? { ...row, coverage: { ...row.coverage, isMoving: false } } : row
    this.#state = {
      rev: row.rev + UNSTORED_REVS,
      status: row.status,
      connected: false,
      loggedIn: false,
      jid: row.jid,
      lid: row.lid,
      profileName: row.profileName,
      pairing: null,
      lastDisconnect: row.lastDisconnect,
      lastDisconnectReason: row.lastDisconnectReason,
      history: describeHistory(row),
    }
  }

  get now(): SessionState {
    return this.#state
  }

  get row(): SessionRow {
    return this.#row
  }

  get gaps(): readonly GapRow[] {
    return this.#gaps ?? []
  }

  /** In memory: they are stored. */
  setGaps(gaps: GapRow[]): void {
    this.#gaps = gaps
  }

  /** In memory: the time moves with the clock, and ends with the connection. The next change stores it. */
  moveCoverage({ isMoving }: { isMoving: boolean }): void {
    const { coverage } = this.#row
    if (coverage?.isMoving)
      this.#row = { ...this.#row, coverage: { ...coverage, until: Date.now(), isMoving } }
  }

  /** The digits of the linked account; empty when there is none. */
  get owner(): string {
    return extractPhone(this.#state.jid)
  }

  /** Calls `listener` after each change, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** `alongside`: what is stored with it, or not at all. */
  async change(change: StateChange, alongside: Statement[] = []): Promise<void> {
    const { row, state } = this.#computeChange(change)
    const about = { instance: row.instance, epoch: row.epoch }
    const reports: NewReport[] = [{ t: 'state', ...about, state }]
    const before = this.#state
    // An operator can end this state: it is reported although the session was connecting before.
    const becameOutdated = isOutdated(state) && !isOutdated(before)
    if (state.status !== before.status || becameOutdated) {
      const { status, lastDisconnectReason } = state
      reports.push({
        t: 'event',
        ...about,
        id: crypto.randomUUID(),
        type: 'connection',
        owner: extractPhone(state.jid) || extractPhone(before.jid),
        at: Date.now(),
        payload: { status, lastDisconnectReason, ...(change.gap && { gap: change.gap }) },
      })
    }
    await this.#outbox.commit(row.instance, [...alongside, storeSession(this.#store, row)], reports)
    this.#setState(row, state, change)
  }

  /** Without a report: the edge has the proxy from the caller. */
  async storeProxy(proxy: SessionRow['proxy']): Promise<void> {
    const row = { ...this.#row, proxy }
    await this.#outbox.commit(row.instance, [storeSession(this.#store, row)], [])
    this.#row = { ...this.#row, proxy }
  }

  /** Without a report, and this field alone: a change of the state may be on its way to the disk. */
  async storeOnline(online: boolean): Promise<void> {
    const { instance } = this.#row
    this.#row = { ...this.#row, online }
    await this.#outbox.commit(instance, [storeOnline(this.#store, instance, online)], [])
  }

  /** For a change that holds even if the store fails: it is then reported only, and stored with the next change. */
  async forceChange(change: StateChange): Promise<void> {
    try {
      await this.change(change)
    } catch (error) {
      if (!findStoreFault(error)) throw error
      const { row, state } = this.#computeChange(change)
      this.#outbox.sendStateNow({ t: 'state', instance: row.instance, epoch: row.epoch, state })
      this.#setState(row, state, change)
    }
  }

  #computeChange(change: StateChange) {
    const { wanted = this.#row.wanted, history = this.#row.history, coverage, changeGaps, ...rest } = change
    const { gap: _, ...changed } = rest
    const gaps = this.#gaps && (changeGaps?.(this.#gaps) ?? this.#gaps)
    const covered = updateTime(coverage ?? this.#row.coverage)
    const state: SessionState = {
      ...this.#state,
      ...changed,
      rev: this.#state.rev + 1,
      history: describeHistory({ history }),
      ...(covered && gaps && { coverage: describeCoverage(covered, gaps) }),
    }
    const row: SessionRow = {
      ...this.#row,
      wanted,
      rev: state.rev,
      status: state.status,
      jid: state.jid,
      lid: state.lid,
      profileName: state.profileName,
      lastDisconnect: state.lastDisconnect,
      lastDisconnectReason: state.lastDisconnectReason,
      history,
      coverage: covered,
    }
    return { row, state }
  }

  #setState(row: SessionRow, state: SessionState, { changeGaps }: StateChange): void {
    // It may have been changed while this was on its way to the disk.
    const { online } = this.#row
    this.#row = { ...row, online }
    this.#state = state
    if (this.#gaps && changeGaps) this.#gaps = changeGaps(this.#gaps)
    for (const listener of [...this.#listeners]) listener()
  }
}

const updateTime = (coverage: SessionRow['coverage']): SessionRow['coverage'] =>
  coverage?.isMoving ? { ...coverage, until: Date.now() } : coverage

function describeCoverage(
  { since, until, isMoving }: NonNullable<SessionRow['coverage']>,
  gaps: GapRow[],
): ReportedCoverage {
  const newest = gaps.slice(-MAX_SHOWN_GAPS).toReversed()
  const shown = newest.map(({ from, to, state, recovered }) => ({ from, to, state, recovered }))
  return { since, until, isMoving, gaps: shown }
}

const describeHistory = ({ history }: Pick<SessionRow, 'history'>) =>
  history ? { state: history.state, progress: history.progress } : noHistory

const isOutdated = ({ lastDisconnectReason }: SessionState): boolean => lastDisconnectReason === 'outdated'
