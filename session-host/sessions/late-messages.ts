// The messages of gaps: stored as the phone sends them, the newest first, and reported in the order of each chat once its history is whole.

import { setImmediate as yieldTurn } from 'node:timers/promises'
import { MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import type { HistoryChunk, HistoryPage } from '../driver/driver.ts'
import type { Cancel } from '../process/machine-clock.ts'
import { findStoreFault } from '../process/store-fault.ts'
import {
  addGapProgress,
  addLateMessage,
  applyGapProgress,
  changeGapState,
  deleteLateMessages,
  type GapProgress,
  type GapRow,
  listLateMessages,
} from '../store/gap-store.ts'
import type { MessageRow } from '../store/message-store.ts'
import type { Intake } from './intake.ts'
import type { Batch } from './intake-batch.ts'
import type { SessionDeps } from './session-deps.ts'
import type { StoredState } from './stored-state.ts'

/** Reported in one batch, so that other sessions come in between. */
const BATCH_SIZE = 100
/** The phone sends the next chunk within seconds, unless it is off: what has come is not kept back longer than this. */
const SILENCE_MS = 10 * MINUTE

/** Of a page without the phone's order; it has fewer messages. */
const PAGE_PLACES = 1000

/** `order`: the phone's, among the messages of its chat; 0 if it has none. */
export interface LateMessage {
  row: MessageRow
  order: number
}

type Deps = Pick<SessionDeps, 'store' | 'outbox' | 'clock' | 'log'>

export class LateMessages {
  readonly #deps: Deps
  readonly #state: StoredState
  readonly #intake: Intake
  #cancelSilence: Cancel | undefined
  #pages = 0
  /** A gap has begun to be filled, and that is not reported yet. */
  #hasBegun = false
  /** The reporting under way. */
  #reporting: Promise<void> | undefined

  constructor(deps: Deps, state: StoredState, intake: Intake) {
    this.#deps = deps
    this.#state = state
    this.#intake = intake
  }

  /** Whether the phone's history has to be read, though perhaps none was asked for. */
  get isExpected(): boolean {
    return this.#unfilled.length > 0 || this.#state.row.coverage?.isNewDevice === true
  }

  get #unfilled(): GapRow[] {
    return this.#state.gaps.filter(({ state }) => state !== 'filled')
  }

  get #isFilling(): boolean {
    return this.#state.gaps.some(({ state }) => state === 'filling')
  }

  isLate(at: number): boolean {
    return this.#findGap(at) !== undefined
  }

  /** Called when this host holds the instance: an earlier process may have been killed while it reported. */
  start(): void {
    if (!this.#isFilling) this.#report()
  }

  handleLogin(): void {
    if (this.#isFilling) this.#awaitNext()
    // What the store did not take before the last connection ended.
    else this.#report()
  }

  handleEnd(): void {
    this.#cancelSilence?.()
    this.#cancelSilence = undefined
  }

  /** `late`: the new messages of the page that lie in a gap, the oldest first. */
  addPage(batch: Batch, page: HistoryPage, late: LateMessage[]): void {
    // Without the phone's order, a later page is older.
    this.#pages += 1
    for (const [index, { row, order }] of late.entries())
      batch.addStatement(addLateMessage(row, order || index - this.#pages * PAGE_PLACES))
    const rows = late.map(({ row }) => row)
    const progress = this.#unfilled.map((gap) => ({ gap, ...computeProgress(gap, page, rows) }))
    const news = progress.filter(({ oldest }) => Number.isFinite(oldest))
    if (news.length === 0) return
    for (const { gap, ...some } of news) batch.addStatement(addGapProgress(gap, some))
    batch.onCommitted(() => {
      const byEnd = new Map(news.map((one) => [one.gap.to, one]))
      this.#state.setGaps(
        this.#state.gaps.map((gap) => {
          const some = byEnd.get(gap.to)
          if (some && some.recovered > 0 && gap.state !== 'filling') this.#hasBegun = true
          return some ? applyGapProgress(gap, some) : gap
        }),
      )
      if (rows.length > 0) this.#awaitNext()
    })
  }

  /** With the session's mutex held. */
  async reportBeginning(): Promise<void> {
    if (this.#hasBegun) await this.#state.change({})
    this.#hasBegun = false
  }

  get hasBegun(): boolean {
    return this.#hasBegun
  }

  /** With the session's mutex held. `isWhole`: the phone sends no more by itself. */
  async finishChunk(chunk: HistoryChunk, isWhole: boolean): Promise<void> {
    if (this.#unfilled.length === 0) return
    const isRecentWhole = chunk.kind !== 'full' && chunk.kind !== 'requested' && chunk.progress >= 100
    const findState = (gap: GapRow): GapRow['state'] => {
      if (gap.state === 'filled' || !(isWhole || isRecentWhole)) return gap.state
      if (gap.oldest !== null && gap.oldest <= gap.from) return 'filled'
      return isWhole ? 'partial' : gap.state
    }
    const ended = this.#state.gaps.filter((gap) => findState(gap) !== gap.state)
    const { store } = this.#deps
    await this.#state.change(
      { changeGaps: (gaps) => gaps.map((gap) => ({ ...gap, state: findState(gap) })) },
      ended.map((gap) => changeGapState(store, gap, findState(gap))),
    )
    if (this.#isFilling) return
    this.handleEnd()
    this.#report()
  }

  #findGap(at: number): GapRow | undefined {
    return this.#unfilled.find((gap) => isWithin(gap, at))
  }

  #awaitNext(): void {
    this.#cancelSilence?.()
    this.#cancelSilence = this.#deps.clock.runAfter(SILENCE_MS, () => this.#report())
  }

  /** Another call while it runs has no effect; what is left over where the store fails is tried again later. */
  #report(): void {
    this.#reporting ??= this.#reportAll()
      .catch((error) => {
        this.#deps.log.error({ error }, 'failed to report late messages')
        if (findStoreFault(error)) this.#awaitNext()
      })
      .finally(() => {
        this.#reporting = undefined
      })
  }

  async #reportAll(): Promise<void> {
    const { store, outbox } = this.#deps
    const { instance } = this.#state.row
    for (let left = BATCH_SIZE; left === BATCH_SIZE; ) {
      await outbox.waitForRoom()
      await yieldTurn()
      left = await this.#intake.runInBatch(async (batch) => {
        const ids = await listLateMessages(store, instance, BATCH_SIZE)
        for (const id of ids) {
          const row = await batch.findRow(id)
          if (row && row.record.status !== 'Deleted') await this.#intake.reportLate(batch, row)
        }
        if (ids.length > 0) batch.addStatement(deleteLateMessages(store, instance, ids))
        return ids.length
      })
    }
  }
}

// The network gives times in seconds.
const toSecond = (at: number): number => Math.floor(at / SECOND)
const isWithin = ({ from, to }: GapRow, at: number): boolean => toSecond(at) >= toSecond(from) && at <= to

function computeProgress(gap: GapRow, { kind, messages }: HistoryPage, rows: MessageRow[]): GapProgress {
  const recovered = rows.filter(({ at }) => isWithin(gap, at)).length
  // What was asked for may be any part of the past, with a hole before it.
  const read = kind === 'requested' ? rows.filter(({ at }) => isWithin(gap, at)) : messages
  return { recovered, oldest: Math.min(...read.map(({ at }) => at)) }
}
