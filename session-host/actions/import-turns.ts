// Imports of credentials: in turns by instance, with a bound on the bytes of a minute. One whose body does not get on gives its place to one that waits.

import { MIB } from '@msgnet/shared/contract/limits.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { FairTurns, type Turn, type TurnRefusalReason, TurnRefused } from '@msgnet/shared/fair-turns.ts'
import { createRefusal, type RefusedOutcome } from '@msgnet/shared/wire/outcome.ts'

/** Each has its rows in memory, up to two times `limits.maxImportBytes`. */
const IMPORTS = {
  maxUnderWay: 2,
  maxUnderWayOfOne: 1,
  maxWaiting: 16,
  maxWaitingOfOne: 1,
  costPerMinute: 32 * MIB,
  maxSavedCost: 128 * MIB,
}
const MAX_WAIT_MS = 10 * SECOND
/** A body that has been waited for so long is ended for one that waits; each second of it takes so many bytes. */
const STALLED_MS = 5 * SECOND
const BYTES_PER_SECOND = 64 * 1024
/** How often an import that waits looks for such a place, as a part of that. */
const LOOKS = 5

const refusals: Record<TurnRefusalReason, string> = {
  waiting: 'Too many imports are under way.',
  cost: 'The imports of this instance have taken all the bytes of this minute.',
  time: 'Other imports took all the time there was.',
}
const isLate = createRefusal('invalid_body', 'The body did not arrive in time.')

export class ImportTurns {
  /** Cost in bytes. */
  readonly turns = new FairTurns(IMPORTS)
  readonly #underWay = new Set<PacedImport>()
  readonly #stalledMs: number

  constructor(stalledMs = STALLED_MS) {
    this.#stalledMs = stalledMs
  }

  /** When it is the turn of this instance. */
  async runImport<Value>(
    instance: string,
    deadline: AbortSignal,
    work: (body: PacedImport) => Promise<Value>,
  ): Promise<Value | RefusedOutcome> {
    const turn = await this.#takePlace(instance, deadline).catch(toRefusal)
    if ('kind' in turn) return turn
    const body = new PacedImport(turn, deadline, this.#stalledMs)
    this.#underWay.add(body)
    try {
      const value = await work(body)
      return body.hasStalled ? isLate : value
    } finally {
      this.#underWay.delete(body)
      turn.end()
    }
  }

  /** While it waits, bodies that do not get on are ended. */
  #takePlace(instance: string, deadline: AbortSignal): Promise<Turn> {
    const signal = AbortSignal.any([deadline, AbortSignal.timeout(MAX_WAIT_MS)])
    const end = () => [...this.#underWay].find(({ isStalled }) => isStalled)?.end()
    const timer = setInterval(end, this.#stalledMs / LOOKS)
    return this.turns.takeTurn(instance, signal).finally(() => clearInterval(timer))
  }
}

/** The body of an import that has its turn. */
export class PacedImport {
  readonly #turn: Turn
  readonly #ended = new AbortController()
  /** Aborted at the deadline, or when others waited and it did not get on. */
  readonly signal: AbortSignal
  readonly #maxLeft: number
  /** Milliseconds that it may still be waited for. */
  #left: number
  #waitsSince: number | undefined

  constructor(turn: Turn, deadline: AbortSignal, stalledMs: number) {
    this.#turn = turn
    this.#maxLeft = stalledMs
    this.#left = stalledMs
    this.signal = AbortSignal.any([deadline, this.#ended.signal])
  }

  get isStalled(): boolean {
    return this.#waitsSince !== undefined && performance.now() - this.#waitsSince >= this.#left
  }

  get hasStalled(): boolean {
    return this.#ended.signal.aborted
  }

  end(): void {
    this.#ended.abort()
  }

  /** Passes the pieces on. That they are not asked for is not the fault of the body. */
  async *readPieces(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    this.#waitsSince = performance.now()
    for await (const piece of body) {
      this.#countPiece(piece.length)
      yield piece
      this.#waitsSince = performance.now()
    }
    this.#waitsSince = undefined
  }

  #countPiece(bytes: number): void {
    const waited = performance.now() - (this.#waitsSince ?? performance.now())
    this.#waitsSince = undefined
    this.#left = Math.min(this.#maxLeft, this.#left - waited + (bytes / BYTES_PER_SECOND) * SECOND)
    this.#turn.charge(bytes)
  }
}

function toRefusal(error: unknown): RefusedOutcome {
  if (!(error instanceof TurnRefused)) throw error
  return { ...createRefusal('quota_reached', refusals[error.reason]), waitMs: error.waitMs }
}
