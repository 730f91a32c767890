// What it costs to give many devices the key of a group, as its first message does, or to post a status: a session with each is begun and
// used. An instance has so many devices a minute.

import { FairTurns } from '@msgnet/shared/fair-turns.ts'

/** A device takes about a millisecond, so a minute's are a fifth of a processor. The first message to a group of a thousand has some 2,500. */
const DEVICES = { costPerMinute: 12_000, maxSavedCost: 24_000 }
/** Nothing waits: a message goes on or is refused. */
const UNUSED = { maxUnderWay: 0, maxUnderWayOfOne: 0, maxWaiting: 0, maxWaitingOfOne: 0 }

export class KeyCosts {
  /** Cost in devices. */
  readonly turns: FairTurns

  constructor(devices = DEVICES) {
    this.turns = new FairTurns({ ...UNUSED, ...devices })
  }

  /** To be called before any of them gets its key. Returns 0, or the milliseconds until the instance may go on. */
  charge(instance: string, devices: number): number {
    return this.turns.charge(instance, devices)
  }
}
