// The turns of acts: sends and what the network brings go between them, and no act waits behind hundreds of another instance.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { FairTurns, type Turn, type TurnRefusalReason, TurnRefused } from '@msgnet/shared/fair-turns.ts'
import { createRefusal, type RefusedOutcome } from '@msgnet/shared/wire/outcome.ts'

const UNBOUNDED = Number.POSITIVE_INFINITY
/** Acts under way: more of an instance than its searches that may wait. Those that wait here have nothing but their input. */
const PLACES = { maxUnderWay: UNBOUNDED, maxUnderWayOfOne: 16, maxWaiting: 4096, maxWaitingOfOne: 256 }
/** An act that takes longer waits for the network, and holds up nobody. */
const MAX_PLACE_MS = SECOND
/** One begins at a time. */
const STARTS = { maxUnderWay: 1, maxUnderWayOfOne: 1, maxWaiting: UNBOUNDED, maxWaitingOfOne: UNBOUNDED }
/** In milliseconds. After so much work of beginning acts, others have the event loop for as long. */
const MAX_WORK = 2
const MAX_REST = 20

const refusals: Record<TurnRefusalReason, string> = {
  waiting: 'Too many requests of the instance are waiting.',
  cost: 'The requests of the instance have used their time of this minute.',
  time: 'Other requests took all the time there was.',
}

export interface ActTurn {
  /** To be called when the act has ended. */
  end(): void
}

export class ActTurns {
  /** Without costs: what takes long, or returns much, has a minute of its own. */
  readonly places = new FairTurns(PLACES)
  readonly #starts = new FairTurns(STARTS)
  #worked = 0

  /** Resolves when an act of this instance may begin, or with why it may not. */
  async takeTurn(instance: string, signal: AbortSignal): Promise<ActTurn | RefusedOutcome> {
    let place: Turn | undefined
    try {
      place = await this.places.takeTurn(instance, signal)
      this.#endAfterWork(await this.#starts.takeTurn(instance, signal))
    } catch (error) {
      place?.end()
      if (!(error instanceof TurnRefused)) throw error
      return { ...createRefusal('quota_reached', refusals[error.reason]), waitMs: error.waitMs }
    }
    return limitTurn(place)
  }

  /** Of a host's own file an act reads without waiting for anything, so the whole of it may be done before the next tick. */
  #endAfterWork(start: Turn): void {
    const beganAt = performance.now()
    process.nextTick(() => {
      this.#worked += performance.now() - beganAt
      if (this.#worked < MAX_WORK) return start.end()
      const rest = Math.min(this.#worked, MAX_REST)
      this.#worked = 0
      setTimeout(() => start.end(), rest)
    })
  }
}

function limitTurn(place: Turn): ActTurn {
  const timer = setTimeout(() => place.end(), MAX_PLACE_MS)
  return {
    end() {
      clearTimeout(timer)
      place.end()
    },
  }
}
