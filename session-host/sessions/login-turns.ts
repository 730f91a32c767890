// How often callers may have an instance log in: to the network, all instances of a host are one address.

import { FairTurns } from '@msgnet/shared/fair-turns.ts'
import { createRefusal, type RefusedOutcome } from '@msgnet/shared/wire/outcome.ts'
import type { Clock } from '../process/machine-clock.ts'

/** More than a person needs who tries again, or a program that follows the states. What the host does by itself is not counted. */
const LOGINS = { costPerMinute: 10, maxSavedCost: 30 }
/** Nothing waits: a login begins or is refused. */
const UNUSED = { maxUnderWay: 0, maxUnderWayOfOne: 0, maxWaiting: 0, maxWaitingOfOne: 0 }

export class LoginTurns {
  /** Cost in logins. */
  readonly turns: FairTurns

  constructor(clock: Pick<Clock, 'now'>) {
    this.turns = new FairTurns({ ...UNUSED, ...LOGINS }, () => clock.now())
  }

  /** To be called before a socket is opened for a caller. */
  countLogin(instance: string): RefusedOutcome | undefined {
    const waitMs = this.turns.charge(instance, 1)
    if (waitMs === 0) return undefined
    const sentence = `An instance may be connected or restarted ${LOGINS.costPerMinute} times a minute.`
    return { ...createRefusal('quota_reached', sentence), waitMs }
  }
}
