// The turns of acts that only read: sends and what the network brings go between them, and none waits behind the reads of another instance.

import { FairTurns, type Turn, type TurnRefusalReason, TurnRefused } from '@msgnet/shared/fair-turns.ts'
import { createRefusal, type RefusedOutcome } from '@msgnet/shared/wire/outcome.ts'

/** Of all instances one begins in a turn of the event loop; what it then waits for takes no place. Those that wait have nothing but their input. */
const LIMITS = { maxUnderWay: 1, maxUnderWayOfOne: 1, maxWaiting: 4096, maxWaitingOfOne: 256 }
/** In milliseconds. A turn of the event loop that took longer is followed by a rest that is as long: others have half of the time at least. */
const SHORT_TURN = 1
const MAX_REST = 20

const refusals: Record<TurnRefusalReason, string> = {
  waiting: 'Too many requests that read are waiting.',
  cost: 'The requests that read have used their time of this minute.',
  time: 'Other requests that read took all the time there was.',
}

export class ReadTurns {
  /** Without costs: reads that take long, or return much, have a minute of their own. */
  readonly turns = new FairTurns(LIMITS)

  /** Resolves when an act of this instance may begin. Of a host's own file all of it is done in the turn of the event loop that follows. */
  async takeTurn(instance: string, signal: AbortSignal): Promise<RefusedOutcome | undefined> {
    let turn: Turn
    try {
      turn = await this.turns.takeTurn(instance, signal)
    } catch (error) {
      if (!(error instanceof TurnRefused)) throw error
      return { ...createRefusal('quota_reached', refusals[error.reason]), waitMs: error.waitMs }
    }
    endAfterLoop(turn)
    return undefined
  }
}

function endAfterLoop(turn: Turn): void {
  const beganAt = performance.now()
  setImmediate(() => {
    const tookMs = performance.now() - beganAt
    if (tookMs > SHORT_TURN) setTimeout(() => turn.end(), Math.min(tookMs, MAX_REST))
    else turn.end()
  })
}
