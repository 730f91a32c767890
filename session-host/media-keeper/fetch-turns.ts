// Whose file is fetched next: turns go round the instances, and files of senders that an account does not know have limits of their own.

import { HOUR, MINUTE } from '@msgnet/shared/date-time.ts'
import { FairTurns, type Turn, TurnRefused } from '@msgnet/shared/fair-turns.ts'

const PLACES = { maxUnderWay: 8, maxUnderWayOfOne: 2 }
/** Of those places. The others are for people that the accounts know, however many strangers send files. */
const STRANGER_PLACES = { maxUnderWay: 4, maxUnderWayOfOne: 1 }
/** What waits is in the store. */
const NO_QUEUE = { maxWaiting: 0, maxWaitingOfOne: 0 }

interface Fetch {
  instance: string
  /** From a sender that the account does not know, and not in the local folder yet. */
  isStrangers: boolean
}

export class FetchTurns {
  /** Cost in milliseconds is not limited: an attempt has its own end. */
  readonly places: FairTurns
  /** Cost in bytes. */
  readonly strangers: FairTurns

  /** `strangersBytesPerHour`: of an instance; 0 for no limit. `now` in milliseconds, of a clock that does not run backwards. */
  constructor(strangersBytesPerHour: number, now: () => number) {
    this.places = new FairTurns({ ...PLACES, ...NO_QUEUE }, now)
    const limit = strangersBytesPerHour > 0 && {
      costPerMinute: (strangersBytesPerHour * MINUTE) / HOUR,
      maxSavedCost: strangersBytesPerHour,
    }
    this.strangers = new FairTurns({ ...STRANGER_PLACES, ...NO_QUEUE, ...limit }, now)
  }

  /** By the names that the metrics give them. */
  listWork() {
    return { files: this.places, unknown_senders: this.strangers }
  }

  hasPlace(instance: string): boolean {
    return this.places.findNextOwner([instance]) !== undefined
  }

  hasStrangersPlace(instance: string): boolean {
    return this.strangers.findNextOwner([instance]) !== undefined
  }

  /** `isOverLimit`: strangers have had their bytes of the hour. Only for an instance that has a place. */
  takeTurn({ instance, isStrangers }: Fetch) {
    const place = this.places.takeTurnNow(instance)
    const stranger = isStrangers ? this.#takeStrangersTurn(instance) : undefined
    return {
      isOverLimit: stranger === 'over limit',
      end(bytes: number): void {
        if (stranger !== 'over limit') stranger?.end(bytes)
        place.end()
      },
    }
  }

  #takeStrangersTurn(instance: string): Turn | 'over limit' {
    try {
      return this.strangers.takeTurnNow(instance)
    } catch (error) {
      if (error instanceof TurnRefused && error.reason === 'cost') return 'over limit'
      throw error
    }
  }
}
