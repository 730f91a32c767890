// Work that goes on without end: an owner that has taken its bytes of a minute is paused between the pieces, and others are not.

import { FairTurns } from '@msgnet/shared/fair-turns.ts'

/** Nothing waits for a place here. */
const UNUSED = { maxUnderWay: 0, maxUnderWayOfOne: 0, maxWaiting: 0, maxWaitingOfOne: 0 }
/** What a piece costs at least: reading one of a single byte takes as long. */
const MIN_PIECE_BYTES = 4096
/** Less than the silence after which a reader or a sender is given up. */
const MAX_PAUSE_MS = 500

export interface ByteBounds {
  costPerMinute: number
  maxSavedCost: number
}

export interface PaceClock {
  now(): number
  wait(ms: number): Promise<unknown>
}

const ownClock: PaceClock = {
  now: () => performance.now(),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}

export class BytePace {
  readonly turns: FairTurns
  readonly #clock: PaceClock

  constructor(bounds: ByteBounds, clock: PaceClock = ownClock) {
    this.#clock = clock
    this.turns = new FairTurns({ ...UNUSED, ...bounds }, () => clock.now())
  }

  /** Resolves when a piece of so many bytes of the owner may go on. `onPause` is called before each pause, of half a second at most. */
  async payForBytes(owner: string, bytes: number, onPause: () => void): Promise<void> {
    const cost = Math.max(bytes, MIN_PIECE_BYTES)
    for (let wait = this.turns.charge(owner, cost); wait > 0; wait = this.turns.charge(owner, cost)) {
      onPause()
      await this.#clock.wait(Math.min(wait, MAX_PAUSE_MS))
    }
  }
}
