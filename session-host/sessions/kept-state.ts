// A session's state. Each change is one batch on disk, with its report and, when the status changes or the version is outdated, its event.

import { phoneOf } from '../../shared/jid.ts'
import type { SessionState } from '../../shared/wire/session-state.ts'
import type { NewReport, Outbox } from '../outbox.ts'
import { storeFaultIn } from '../store/fault.ts'
import { keepSession, type SessionRow } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'

export type StateChange = Partial<Omit<SessionState, 'rev'>> & { wanted?: boolean }

/** Before the last start this many changes may have been reported without being stored: new reports need a higher rev. */
const UNKEPT_REVS = 1000

export class KeptState {
  #row: SessionRow
  #state: SessionState
  readonly #store: Store
  readonly #outbox: Outbox
  readonly #listeners = new Set<() => void>()

  constructor(store: Store, outbox: Outbox, row: SessionRow) {
    this.#store = store
    this.#outbox = outbox
    this.#row = row
    this.#state = {
      rev: row.rev + UNKEPT_REVS,
      status: row.status,
      connected: false,
      loggedIn: false,
      jid: row.jid,
      lid: row.lid,
      profileName: row.profileName,
      pairing: null,
      lastDisconnect: row.lastDisconnect,
      lastDisconnectReason: row.lastDisconnectReason,
    }
  }

  get now(): SessionState {
    return this.#state
  }

  get row(): SessionRow {
    return this.#row
  }

  /** The digits of the linked account; empty when there is none. */
  get owner(): string {
    return phoneOf(this.#state.jid)
  }

  /** Calls `listener` after each change, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async change(change: StateChange): Promise<void> {
    const { row, state } = this.#after(change)
    const about = { instance: row.instance, epoch: row.epoch }
    const reports: NewReport[] = [{ t: 'state', ...about, state }]
    const before = this.#state
    // An operator can end this state: it is told although the session was connecting before.
    const becameOutdated = isOutdated(state) && !isOutdated(before)
    if (state.status !== before.status || becameOutdated) {
      const { status, lastDisconnectReason } = state
      reports.push({
        t: 'event',
        ...about,
        id: crypto.randomUUID(),
        type: 'connection',
        owner: phoneOf(state.jid) || phoneOf(before.jid),
        at: Date.now(),
        payload: { status, lastDisconnectReason },
      })
    }
    await this.#outbox.commit(row.instance, [keepSession(this.#store, row)], reports)
    this.#become(row, state)
  }

  /** Without a report: the edge has the proxy from the caller. */
  async keepProxy(proxy: SessionRow['proxy']): Promise<void> {
    const row = { ...this.#row, proxy }
    await this.#outbox.commit(row.instance, [keepSession(this.#store, row)], [])
    this.#row = row
  }

  /** For a change that holds even if the store fails: it is then reported only, and stored with the next change. */
  async changeAnyway(change: StateChange): Promise<void> {
    try {
      await this.change(change)
    } catch (thrown) {
      if (!storeFaultIn(thrown)) throw thrown
      const { row, state } = this.#after(change)
      this.#outbox.sendPast({ t: 'state', instance: row.instance, epoch: row.epoch, state })
      this.#become(row, state)
    }
  }

  #after({ wanted = this.#row.wanted, ...changed }: StateChange) {
    const state = { ...this.#state, ...changed, rev: this.#state.rev + 1 }
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
    }
    return { row, state }
  }

  #become(row: SessionRow, state: SessionState): void {
    this.#row = row
    this.#state = state
    for (const listener of [...this.#listeners]) listener()
  }
}

const isOutdated = ({ lastDisconnectReason }: SessionState): boolean => lastDisconnectReason === 'outdated'
