// Runs the work on files in decoders: sounds and films in some, pictures in others, in turns by instance, with a limit for each.

import { MIB } from '@msgnet/shared/contract/limits.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { TurnRefused } from '@msgnet/shared/fair-turns.ts'
import {
  createDoneOutcome,
  createRefusal,
  type Outcome,
  type RefusedOutcome,
} from '@msgnet/shared/wire/outcome.ts'
import type { Log } from '../process/host-log.ts'
import { findStoreFault, StoreFault } from '../process/store-fault.ts'
import { DecoderBroke, NothingDecoded, OutOfMemory } from './decoder.ts'
import { DecoderPool, type PoolLimits } from './decoder-pool.ts'
import type { Ffmpeg } from './ffmpeg.ts'
import { type MediaJob, type MediaResult, type MediaTask, OutOfTime, RefusedFile } from './media-job.ts'
import { TemporarySpace } from './temporary-space.ts'

type Kind = 'sounds' | 'pictures'

/** An instance never has more than half of the decoders: a job that runs is not interrupted for another instance. */
const PRESETS: Record<Kind, PoolLimits> = {
  sounds: {
    maxUnderWay: 2,
    maxUnderWayOfOne: 1,
    maxWaiting: 64,
    maxWaitingOfOne: 8,
    // Half a processor: about half an hour of sound a minute.
    costPerMinute: 30 * SECOND,
    jobMs: 25 * SECOND,
    // The largest file of which every packet is counted takes two.
    silentMs: 5 * SECOND,
    memoryBytes: 224 * MIB,
    idleMs: 30 * SECOND,
  },
  // They take milliseconds, unless they are made to take more.
  pictures: {
    maxUnderWay: 2,
    maxUnderWayOfOne: 1,
    maxWaiting: 256,
    maxWaitingOfOne: 64,
    costPerMinute: 30 * SECOND,
    jobMs: 20 * SECOND,
    // A picture is decoded in one piece.
    silentMs: 20 * SECOND,
    memoryBytes: 208 * MIB,
    idleMs: 30 * SECOND,
  },
}

const PICTURE_TASKS: readonly MediaTask[] = ['sticker', 'preview', 'thumbnail', 'picture']

export class MediaJobs {
  /** The machine's own, if the operator names one. */
  readonly ffmpeg: Ffmpeg | undefined
  /** What the files of all instances may take. */
  readonly space = new TemporarySpace()
  readonly #log: Log
  readonly #pools: Record<Kind, DecoderPool>

  /** `limits`: in place of those of either kind. */
  constructor(log: Log, ffmpeg?: Ffmpeg, limits: Partial<PoolLimits> = {}) {
    this.ffmpeg = ffmpeg
    this.#log = log
    this.#pools = {
      sounds: new DecoderPool({ ...PRESETS.sounds, ...limits }),
      pictures: new DecoderPool({ ...PRESETS.pictures, ...limits }),
    }
  }

  /** By the kind of files. */
  get turns() {
    return { sounds: this.#pools.sounds.turns, pictures: this.#pools.pictures.turns }
  }

  /** Refuses a job of an instance that has used its minute, before its file is transferred. */
  checkMinute(instance: string, task: MediaTask): RefusedOutcome | undefined {
    const waitMs = this.#findPool(task).turns.charge(instance, 0)
    return waitMs > 0 ? refuseTurn({ reason: 'cost', waitMs }) : undefined
  }

  /** Runs it when it is the turn of this instance. */
  runJob(instance: string, job: MediaJob, deadline: AbortSignal): Promise<Outcome<MediaResult>> {
    const pool = this.#findPool(job.task)
    return this.#catchFailures(instance, async () => {
      const reply = await pool.runJob(instance, job, deadline)
      if ('failed' in reply) throw new StoreFault(reply.failed)
      if ('refused' in reply) throw new RefusedFile(reply.refused.fault, reply.refused.message)
      return reply.result
    })
  }

  /** The same for the machine's ffmpeg, which is a process of its own. */
  runProgram(
    instance: string,
    deadline: AbortSignal,
    work: () => Promise<MediaResult>,
  ): Promise<Outcome<MediaResult>> {
    return this.#catchFailures(instance, () => this.turns.sounds.runTimed(instance, work, deadline))
  }

  stop(): void {
    for (const pool of Object.values(this.#pools)) pool.stop()
  }

  #findPool(task: MediaTask): DecoderPool {
    return this.#pools[PICTURE_TASKS.includes(task) ? 'pictures' : 'sounds']
  }

  async #catchFailures(instance: string, work: () => Promise<MediaResult>): Promise<Outcome<MediaResult>> {
    try {
      return createDoneOutcome(await work())
    } catch (error) {
      if (error instanceof TurnRefused) return refuseTurn(error)
      if (error instanceof RefusedFile) return createRefusal(error.fault, error.message)
      this.#log.warn({ error, instance }, 'failed to convert file')
      if (error instanceof OutOfTime)
        return createRefusal('quota_reached', 'The conversion of file took all the time there was.')
      if ([OutOfMemory, DecoderBroke, NothingDecoded].some((limit) => error instanceof limit))
        return createRefusal('unsupported_media_type', 'file could not be converted within the limits.')
      const fault = findStoreFault(error)
      if (fault) return createRefusal('storage_unavailable', fault.message)
      return createRefusal('media_unavailable', 'The conversion of file was interrupted. Try it again.')
    }
  }
}

const turnRefusals = {
  waiting: 'Too many files wait for their conversion.',
  cost: 'The conversions of this instance have taken all the time of this minute.',
  time: 'The conversions of other files took all the time there was.',
}

function refuseTurn({ reason, waitMs }: Pick<TurnRefused, 'reason' | 'waitMs'>): RefusedOutcome {
  return { ...createRefusal('quota_reached', turnRefusals[reason]), waitMs }
}
