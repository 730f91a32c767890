// The turns in which acts begin: sends and what the network brings go between them, and no act waits behind hundreds of another instance.

import { FairTurns, type Turn, type TurnRefusalReason, TurnRefused } from '@msgnet/shared/fair-turns.ts'
import { createRefusal, type RefusedOutcome } from '@msgnet/shared/wire/outcome.ts'

/** One begins at a time, and takes no place for what it then waits for. Those that wait have nothing but their input. */
const LIMITS = { maxUnderWay: 1, maxUnderWayOfOne: 1, maxWaiting: 4096, maxWaitingOfOne: 256 }
/** In milliseconds. After so much work of acts, others have the event loop for as long. */
const MAX_WORK = 2
const MAX_REST = 20

const refusals: Record<TurnRefusalReason, string> = {
  waiting: 'Too many requests of the instance are waiting.',
  cost: 'The requests of the instance have used their time of this minute.',
  time: 'Other requests took all the time there was.',
}

export class ActTurns {
  /** Without costs: what takes long, or returns much, has a minute of its own. */
  readonly turns = new FairTurns(LIMITS)
  #worked = 0

  /** Resolves when an act of this instance may begin, or with why it may not. */
  async takeTurn(instance: string, signal: AbortSignal): Promise<RefusedOutcome | undefined> {
    let turn: Turn
    try {
      turn = await this.turns.takeTurn(instance, signal)
    } catch (error) {
      if (!(error instanceof TurnRefused)) throw error
      return { ...createRefusal('quota_reached', refusals[error.reason]), waitMs: error.waitMs }
    }
    this.#endAfterWork(turn)
    return undefined
  }

  /** Of a host's own file an act reads without waiting for anything, so the whole of it may be done before the next tick. */
  #endAfterWork(turn: Turn): void {
    const beganAt = performance.now()
    process.nextTick(() => {
      this.#worked += performance.now() - beganAt
      if (this.#worked < MAX_WORK) return turn.end()
      const rest = Math.min(this.#worked, MAX_REST)
      this.#worked = 0
      setTimeout(() => turn.end(), rest)
    })
  }
}
