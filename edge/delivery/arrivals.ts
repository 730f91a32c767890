// New events that were handed to a courier with their destination. It uses them without a read while nothing else can be due.

/** Milliseconds that a read subscription is used: a change of the global webhook does not notify couriers. */
export const FRESH_FOR = 250
/** The most events kept here; more of them are read from the database. */
const KEPT_AT_MOST = 64

/** The fields of handed events that are needed here. */
interface Sequence {
  events: { seq: number }[]
  behind: number
  at: number
}

/** Knows how far the ordered queue was read. Handed events that do not continue it are dropped, and the courier reads instead. */
export class Arrivals<Handed extends Sequence> {
  #handed: Handed[] = []
  #mustRead = false
  /** `seq` of the last event that was ever used, whatever its result: no handed event is used twice. */
  #takenUpTo = 0
  /** Every event up to this `seq` was tried, and none of them blocks what follows. */
  #clearUpTo = 0
  #changedAt = 0
  #version = 0

  /** Grows with each change of the subscription: events that were read before are then not sent. */
  get version(): number {
    return this.#version
  }

  get mustRead(): boolean {
    return this.#mustRead
  }

  add(handed: Handed | undefined, now: number): void {
    const continues = handed && handed.behind <= (this.#last()?.seq ?? this.#clearUpTo)
    const waiting = this.#handed.reduce((sum, { events }) => sum + events.length, 0)
    if (continues && waiting < KEPT_AT_MOST && this.#isUsable(handed, now)) this.#handed.push(handed)
    else this.#mustRead = true
  }

  /** The next handed events; undefined if there are none, or if they must be read. */
  take(now: number): Handed | undefined {
    if (this.#mustRead) return undefined
    const next = this.#handed.shift()
    if (!next || !this.#isUsable(next, now)) {
      this.#mustRead = next !== undefined
      return undefined
    }
    this.taken(next.events)
    return next
  }

  /** Called before a read, which finds the handed events too. */
  reads(): void {
    this.#drop(false)
  }

  /** All that wait up to the last of these are tried now. */
  taken(events: readonly { seq: number }[]): void {
    this.#clearUpTo = events.at(-1)?.seq ?? this.#clearUpTo
    this.#takenUpTo = Math.max(this.#takenUpTo, this.#clearUpTo)
  }

  /** Called if there are more events, or if one was not tried or waits for another attempt. */
  readNext(): void {
    this.#drop(true)
  }

  /** Called when the subscription, or the set of due events, has changed. */
  changed(now: number): void {
    this.#version++
    this.#changedAt = now
    this.#drop(true)
  }

  #drop(mustRead: boolean): void {
    this.#handed = []
    this.#clearUpTo = 0
    this.#mustRead = mustRead
  }

  #last() {
    return this.#handed.at(-1)?.events.at(-1)
  }

  #isUsable({ at, events: [first] }: Sequence, now: number): boolean {
    return (first?.seq ?? 0) > this.#takenUpTo && at > this.#changedAt && now - at <= FRESH_FOR
  }
}
