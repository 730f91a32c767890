// A session's state: every change of it is one batch on disk, with its report and, when the status changes, its event.

import { phoneOf } from '../../shared/jid.ts'
import type { SessionState } from '../../shared/wire/session-state.ts'
import type { NewReport, Outbox } from '../outbox.ts'
import { storeFaultIn } from '../store/fault.ts'
import { keepSession, type SessionRow } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'

export type StateChange = Partial<Omit<SessionState, 'rev'>> & { wanted?: boolean }

/** Before the last start so many changes may have been told that no disk took: what is told now must be newer. */
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

  /** The linked account's digits, empty when there is none. */
  get owner(): string {
    return phoneOf(this.#state.jid)
  }

  /** Called after each change, until the answer is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async change(change: StateChange): Promise<void> {
    const { row, state } = this.#after(change)
    const about = { instance: row.instance, epoch: row.epoch }
    const reports: NewReport[] = [{ t: 'state', ...about, state }]
    const before = this.#state
    if (state.status !== before.status) {
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

  /** Tells nobody: the edge has it from the caller. */
  async keepProxy(proxy: SessionRow['proxy']): Promise<void> {
    const row = { ...this.#row, proxy }
    await this.#outbox.commit(row.instance, [keepSession(this.#store, row)], [])
    this.#row = row
  }

  /** What is so whether the disk takes it or not. The next change that it takes tells what came of it. */
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
