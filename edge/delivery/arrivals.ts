// New events that were handed to a courier together with where they go: used as they are while nothing else can be due.

/** What was read of a subscription holds so long: a change of the global webhook tells nobody. */
export const FRESH_FOR = 250
/** More wait in the database. */
const KEPT_AT_MOST = 64

/** What of that is needed here. */
interface Sequence {
  events: { seq: number }[]
  behind: number
  at: number
}

/** Knows how far the ordered queue has been taken up. What is handed continues it, or is dropped: then the courier reads. */
export class Arrivals<Handed extends Sequence> {
  #handed: Handed[] = []
  #mustRead = false
  /** The last event that was ever taken up, whatever became of it: nothing that is handed is taken up twice. */
  #takenUpTo = 0
  /** As far as this everything has been tried, and nothing of it holds back what follows. */
  #clearUpTo = 0
  #changedAt = 0
  #version = 0

  /** Another one after each change of the subscription: by then nothing goes out by what was read before. */
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

  /** The next of what was handed; undefined when there is none, or when it must be read. */
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

  /** Before a read, which finds what was handed too. */
  reads(): void {
    this.#drop(false)
  }

  /** What waits up to the last of these is tried now. */
  taken(events: readonly { seq: number }[]): void {
    this.#clearUpTo = events.at(-1)?.seq ?? this.#clearUpTo
    this.#takenUpTo = Math.max(this.#takenUpTo, this.#clearUpTo)
  }

  /** There is more, or something was not tried, or waits for another attempt. */
  readNext(): void {
    this.#drop(true)
  }

  /** The subscription, or what is due, is another by now. */
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
