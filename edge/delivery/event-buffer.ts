// Buffers new events that a courier was notified of, with their target. It uses them without a read while nothing else can be due.

/** Milliseconds that a read subscription is used: a change of the global webhook does not notify couriers. */
export const FRESH_MS = 250
/** More events than these are read from the database. */
const MAX_BUFFERED_EVENTS = 64

/** The fields of a batch that are needed here. */
interface Sequence {
  events: { seq: number }[]
  behind: number
  at: number
}

/** Knows how far the ordered queue was read. A batch that does not continue it is dropped, and the courier reads instead. */
export class EventBuffer<Batch extends Sequence> {
  #batch: Batch[] = []
  #mustRead = false
  /** `seq` of the last event that was ever used, whatever its result: no buffered event is used twice. */
  #usedUpTo = 0
  /** Every event up to this `seq` was tried, and none of them blocks what follows. */
  #passedUpTo = 0
  #changedAt = 0
  #version = 0

  /** Grows with each change of the subscription: events that were read before are then not sent. */
  get version(): number {
    return this.#version
  }

  get mustRead(): boolean {
    return this.#mustRead
  }

  addBatch(batch: Batch | undefined, now: number): void {
    const continues = batch && batch.behind <= (this.#findLast()?.seq ?? this.#passedUpTo)
    const waiting = this.#batch.reduce((sum, { events }) => sum + events.length, 0)
    if (continues && waiting < MAX_BUFFERED_EVENTS && this.#isUsable(batch, now)) this.#batch.push(batch)
    else this.#mustRead = true
  }

  /** Returns the next batch; undefined if there is none, or if the events must be read. */
  takeBatch(now: number): Batch | undefined {
    if (this.#mustRead) return undefined
    const next = this.#batch.shift()
    if (!next || !this.#isUsable(next, now)) {
      this.#mustRead = next !== undefined
      return undefined
    }
    this.markTried(next.events)
    return next
  }

  /** Called before a read, which finds the buffered events too. */
  clearBeforeRead(): void {
    this.#clearBatches(false)
  }

  /** Called with events that are tried now, and with them every event before the last of them. */
  markTried(events: readonly { seq: number }[]): void {
    this.#passedUpTo = events.at(-1)?.seq ?? this.#passedUpTo
    this.#usedUpTo = Math.max(this.#usedUpTo, this.#passedUpTo)
  }

  /** Called if there are more events, or if one was not tried or waits for another attempt. */
  requireRead(): void {
    this.#clearBatches(true)
  }

  /** Called when the subscription, or the set of due events, has changed. */
  invalidate(now: number): void {
    this.#version++
    this.#changedAt = now
    this.#clearBatches(true)
  }

  #clearBatches(mustRead: boolean): void {
    this.#batch = []
    this.#passedUpTo = 0
    this.#mustRead = mustRead
  }

  #findLast() {
    return this.#batch.at(-1)?.events.at(-1)
  }

  #isUsable({ at, events: [first] }: Sequence, now: number): boolean {
    return (first?.seq ?? 0) > this.#usedUpTo && at > this.#changedAt && now - at <= FRESH_MS
  }
}
