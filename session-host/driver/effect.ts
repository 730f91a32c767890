// One effect that an act has on the network: whether anything of it has left this process. Its outcome is unknown only then.

import { AsyncLocalStorage } from 'node:async_hooks'
import { withDeadline } from '@msgnet/shared/deadline.ts'

/** A frame that is leaving waits for the writes before it, which take milliseconds. */
const MAX_LEAVING_MS = 250

/** Thrown in place of writing a frame: the caller has already been told that it was not sent. */
class EffectEnded extends Error {
  constructor() {
    super('the request has ended before this was written')
  }
}

/** The frame was not written: the connection, the lease, a write before it or its own write has failed. */
export class NotWritten extends Error {}

const running = new AsyncLocalStorage<Effect | undefined>()

export class Effect {
  /** `leaving`: a frame of it is encoded, and cannot be held back any more. `out`: bytes of it may have left. */
  #state: 'inside' | 'leaving' | 'out' | 'ended' = 'inside'
  #left = Promise.withResolvers<void>()
  readonly #onLeaving: () => void

  /** `onLeaving` is called before anything leaves: what it defers is on disk before the next frame. It may be called again. */
  constructor(onLeaving: () => void) {
    this.#onLeaving = onLeaving
  }

  /** That of the running call. Undefined for a question, and for what no act asks for. */
  static get current(): Effect | undefined {
    return running.getStore()
  }

  /** Runs a call of the driver that has this effect. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    return running.run(this, work)
  }

  /**
   * Runs `work`, and all that it begins, outside the effect of the running call. For what outlives that call: a connection whose end
   * an act has noticed is followed by another, whose own frames would else be held back once the act has ended.
   */
  static runOutside<Result>(work: () => Result): Result {
    return running.run(undefined, work)
  }

  /** Its keys are about to be used: the next commit, which a frame of it waits for, says that it may have left. */
  announce(): void {
    if (this.#state === 'ended') throw new EffectEnded()
    this.#onLeaving()
  }

  /** Called just before a frame of it is encoded. */
  beginFrame(): void {
    this.announce()
    if (this.#state === 'out') return
    this.#state = 'leaving'
    this.#left = Promise.withResolvers()
  }

  /** Called when the frame was taken by the socket (`written`), or when it was dropped. */
  endFrame(written: boolean): void {
    if (this.#state !== 'leaving') return
    this.#state = written ? 'out' : 'inside'
    this.#left.resolve()
  }

  /** What was asked for is written, whatever was seen of its frames. */
  markLeft(): void {
    if (this.#state !== 'ended') this.#state = 'out'
    this.#left.resolve()
  }

  /** The network has refused what left, and it is going to be written again: until then nothing of it is out. */
  repeat(): void {
    if (this.#state === 'out') this.#state = 'inside'
  }

  /** Ends it: no frame of it is written after this. Returns whether something of it may have left. */
  async end(): Promise<boolean> {
    // Another frame may have begun in the turn in which the one before was dropped.
    while (this.#state === 'leaving')
      await withDeadline(this.#left.promise, MAX_LEAVING_MS, () => this.endFrame(true))
    if (this.#state === 'out') return true
    this.#state = 'ended'
    return false
  }
}
