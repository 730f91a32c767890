// Until when the messages of the network are here, and the gaps between two devices of the same account.

import type { Span } from '@msgnet/shared/contract/coverage.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import type { Account } from '../driver/driver.ts'
import type { FencedStore } from '../store/fenced-store.ts'
import { addGap, deleteGaps, type GapRow, listGaps } from '../store/gap-store.ts'
import type { StateChange, StoredState } from './stored-state.ts'

export class SessionCoverage {
  readonly #store: FencedStore
  readonly #state: StoredState

  constructor(store: FencedStore, state: StoredState) {
    this.#store = store
    this.#state = state
  }

  /** Before the first connection. */
  async load(): Promise<void> {
    this.#state.setGaps(await listGaps(this.#store, this.#state.row.instance))
  }

  /** The device is another one from now on: what its account got in between did not come here. */
  describeNewDevice(): Pick<StateChange, 'coverage'> {
    const { coverage } = this.#state.row
    return coverage ? { coverage: { ...coverage, isNewDevice: true } } : {}
  }

  /** What a login changes, and what is stored with it. */
  describeLogin({ jid }: Pick<Account, 'jid'>): { change: StateChange; statements: Statement[] } {
    const { instance, kind, coverage } = this.#state.row
    if (kind !== 'msgnet') return { change: {}, statements: [] }
    const now = Date.now()
    if (coverage?.account !== jid) {
      // Of another account, none of this is known.
      const begun = { account: jid, since: now, until: now, isMoving: false, isNewDevice: false }
      const change = { coverage: begun, changeGaps: () => [] }
      return { change, statements: coverage ? [deleteGaps(this.#store, instance)] : [] }
    }
    // The clock may have been set back since.
    const gap: Span = { from: Math.min(coverage.until, now), to: now }
    if (!coverage.isNewDevice) return { change: { gap }, statements: [] }
    const opened: GapRow = { instance, ...gap, state: 'open', recovered: 0, oldest: null }
    return {
      change: {
        gap,
        coverage: { ...coverage, until: now, isNewDevice: false },
        changeGaps: (gaps) => [...gaps, opened],
      },
      statements: [addGap(this.#store, opened)],
    }
  }

  /** The queue of the network is empty: from now on messages come as they are sent. */
  async handleCaughtUp(): Promise<void> {
    const { row, now } = this.#state
    const { coverage } = row
    // Not where the store did not take the login: nothing is received any more.
    if (coverage && !coverage.isMoving && now.loggedIn)
      await this.#state.change({ coverage: { ...coverage, isMoving: true } })
  }

  handleEnd(): void {
    this.#state.moveCoverage({ isMoving: false })
  }
}
