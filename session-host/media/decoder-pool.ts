// A few decoders for one kind of file: a job takes one that is free or starts one, and each ends after a pause or enough work.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { FairTurns, type Turn, type TurnLimits } from '@msgnet/shared/fair-turns.ts'
import { Decoder, DecoderBroke, type DecoderLimits, OutOfMemory } from './decoder.ts'
import type { MediaReply } from './decoder-main.ts'
import type { MediaJob } from './media-job.ts'

export interface PoolLimits extends TurnLimits, DecoderLimits {
  /** How long a decoder without work is retained. */
  idleMs: number
}

/** A decoder's share of the kernel's limit of processor time ends with it. */
const MAX_BUSY_MS = 60 * SECOND
/** Of its limit. What the packages of the earlier files take is not given back, and the next file needs room. */
const MAX_MEMORY_SHARE = 0.75

export class DecoderPool {
  /** Of instances; a turn costs its milliseconds of processor time. */
  readonly turns: FairTurns
  readonly #limits: PoolLimits
  readonly #idle = new Map<Decoder, NodeJS.Timeout>()

  constructor(limits: PoolLimits) {
    this.turns = new FairTurns(limits)
    this.#limits = limits
  }

  /** Throws TurnRefused, OutOfTime, OutOfMemory, or another error if the decoder was ended by something else. */
  async runJob(instance: string, job: MediaJob, deadline: AbortSignal): Promise<MediaReply> {
    const turn = await this.turns.takeTurn(instance, deadline)
    try {
      return await this.#runInDecoder(job, deadline, turn)
    } finally {
      turn.end()
    }
  }

  stop(): void {
    for (const decoder of [...this.#idle.keys()]) this.#endIdle(decoder)
  }

  /** What earlier files left in a decoder is not this file's fault: where one fails that was used before, a new one decides. */
  async #runInDecoder(job: MediaJob, deadline: AbortSignal, turn: Turn): Promise<MediaReply> {
    const used = this.#takeIdle()
    if (!used) return this.#runIn(new Decoder(this.#limits), job, deadline, turn)
    try {
      return await this.#runIn(used, job, deadline, turn)
    } catch (error) {
      if (!(error instanceof OutOfMemory || error instanceof DecoderBroke)) throw error
      return this.#runIn(new Decoder(this.#limits), job, deadline, turn)
    }
  }

  async #runIn(decoder: Decoder, job: MediaJob, deadline: AbortSignal, turn: Turn): Promise<MediaReply> {
    const busyBefore = decoder.busyMs
    try {
      const reply = await decoder.runJob(job, deadline)
      this.#retain(decoder)
      return reply
    } finally {
      turn.charge(decoder.busyMs - busyBefore)
    }
  }

  #takeIdle(): Decoder | undefined {
    for (const [decoder, timer] of this.#idle) {
      this.#idle.delete(decoder)
      clearTimeout(timer)
      if (!decoder.hasExited) return decoder
    }
    return undefined
  }

  #retain(decoder: Decoder): void {
    const isFull = decoder.readMemory() > this.#limits.memoryBytes * MAX_MEMORY_SHARE
    if (isFull || decoder.busyMs > MAX_BUSY_MS) {
      decoder.kill()
      return
    }
    const timer = setTimeout(() => this.#endIdle(decoder), this.#limits.idleMs)
    timer.unref()
    this.#idle.set(decoder, timer)
  }

  #endIdle(decoder: Decoder): void {
    clearTimeout(this.#idle.get(decoder))
    this.#idle.delete(decoder)
    decoder.kill()
  }
}
