// Buffers new events of one webhook that came with their write. They are used without a read while nothing else can be due before them.

/** Milliseconds that a read webhook is used: a change of the global webhook does not notify couriers. */
export const FRESH_MS = 250
/** More events than these are read from the database. */
const MAX_BUFFERED_EVENTS = 64

/** The fields of a batch that are needed here. */
interface Sequence {
  /** Those that the webhook wants, in order. */
  events: { seq: number }[]
  /** The batch stands for all events of the instance from here on, */
  from: number
  /** and up to here. */
  upTo: number
  /** No event after this one and before `from` waits; 0 if none before `from` does. */
  behind: number
  /** A time before the events were stored. */
  at: number
}

/** Knows how far the ordered queue was read. A batch that does not continue it is dropped, and the lane reads instead. */
export class EventBuffer<Batch extends Sequence> {
  #batches: Batch[] = []
  #mustRead = false
  /** `seq` up to which events were ever used, whatever their result: no buffered event is used twice. */
  #usedUpTo = 0
  /** Every event up to this `seq` was tried or is not wanted, and none of them blocks what follows. */
  #passedUpTo = 0
  #changedAt = 0
  #version = 0

  /** Grows with each change of the webhook: events that were read before are then not sent. */
  get version(): number {
    return this.#version
  }

  get mustRead(): boolean {
    return this.#mustRead
  }

  /** Where a read goes on; 0 if only the webhook's own cursor is known. */
  get passedUpTo(): number {
    return this.#passedUpTo
  }

  addBatch(batch: Batch, now: number): void {
    const continues = batch.behind <= (this.#batches.at(-1)?.upTo ?? this.#passedUpTo)
    const waiting = this.#batches.reduce((sum, { events }) => sum + events.length, 0)
    if (continues && waiting < MAX_BUFFERED_EVENTS && this.#isUsable(batch, now)) this.#batches.push(batch)
    else this.#mustRead = true
  }

  /** Returns the next batch; undefined if there is none, or if the events must be read. */
  takeBatch(now: number): Batch | undefined {
    if (this.#mustRead) return undefined
    const next = this.#batches.shift()
    if (!next || !this.#isUsable(next, now)) {
      this.#mustRead = next !== undefined
      return undefined
    }
    this.markTried(next.upTo)
    return next
  }

  /** Called before a read, which finds the buffered events too. */
  clearBeforeRead(): void {
    this.#batches = []
    this.#mustRead = false
  }

  /** Called when all events up to this `seq` are tried now, or are not wanted. */
  markTried(upTo: number): void {
    this.#passedUpTo = upTo
    this.#usedUpTo = Math.max(this.#usedUpTo, upTo)
  }

  /** Called if there are more events, or if one was not tried or waits for another attempt. `passedUpTo`: where a read goes on. */
  requireRead(passedUpTo = 0): void {
    this.#batches = []
    this.#passedUpTo = passedUpTo
    this.#mustRead = true
  }

  /** Called when the webhook, or the set of due events, has changed. */
  invalidate(now: number): void {
    this.#version++
    this.#changedAt = now
    this.requireRead()
  }

  #isUsable({ at, from }: Sequence, now: number): boolean {
    return from > this.#usedUpTo && at > this.#changedAt && now - at <= FRESH_MS
  }
}
