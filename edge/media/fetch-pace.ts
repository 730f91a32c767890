// How fast files are fetched by URL: an instance that has taken its bytes of a minute is paused between the pieces, and others are not.

import { MIB } from '@msgnet/shared/contract/limits.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { FairTurns } from '@msgnet/shared/fair-turns.ts'
import { registerTurns } from '../observability/turns-in-metrics.ts'

/** Cost in bytes. The largest file that may be sent comes without a pause; then 17 MiB a second. */
const BYTES = { costPerMinute: 1024 * MIB, maxSavedCost: 128 * MIB }
/** Nothing waits for a place: the number of an instance's fetches is bounded where they begin. */
const UNUSED = { maxUnderWay: 0, maxUnderWayOfOne: 0, maxWaiting: 0, maxWaitingOfOne: 0 }

export interface PaceClock {
  now(): number
  wait(ms: number): Promise<unknown>
}

const ownClock: PaceClock = {
  now: () => performance.now(),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}

export class FetchPace {
  readonly turns: FairTurns
  readonly #clock: PaceClock

  constructor(clock: PaceClock = ownClock) {
    this.#clock = clock
    this.turns = new FairTurns({ ...UNUSED, ...BYTES }, () => clock.now())
  }

  /** Resolves when so many bytes of the instance may go on. `onPause` is called before each pause, of a second at most. */
  async payForBytes(instance: string, bytes: number, onPause: () => void): Promise<void> {
    for (let wait = this.turns.charge(instance, bytes); wait > 0; wait = this.turns.charge(instance, bytes)) {
      onPause()
      await this.#clock.wait(Math.min(wait, SECOND))
    }
  }
}

let opened: FetchPace | undefined

/** That of this isolate. */
export function openFetchPace(): FetchPace {
  if (!opened) {
    opened = new FetchPace()
    registerTurns('fetched_bytes', opened.turns)
  }
  return opened
}
