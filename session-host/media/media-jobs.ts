// Runs the work on files in threads: a few at a time, each with a limit of time and memory, the others wait in a short queue.

import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { SECOND } from '../../shared/date-time.ts'
import { createDoneOutcome, createRefusal, type Outcome } from '../../shared/wire/outcome.ts'
import type { Log } from '../host-log.ts'
import type { Ffmpeg } from './ffmpeg.ts'
import { type MediaJob, type MediaResult, OutOfTime, UnsupportedFile } from './media-job.ts'
import type { MediaReply } from './media-worker.ts'

export interface JobLimits {
  /** Threads; each takes about 100 MB while it works. */
  threads: number
  /** Files that may wait: of all instances, and of one. */
  waiting: number
  waitingOfOne: number
  /** A job that takes longer is ended. */
  jobMs: number
  /** How long a thread without work is retained. */
  idleMs: number
}

const PRESET_LIMITS: JobLimits = {
  threads: Math.max(1, Math.min(4, availableParallelism() - 1)),
  waiting: 64,
  waitingOfOne: 8,
  jobMs: 25 * SECOND,
  idleMs: 30 * SECOND,
}

/** Of the thread's JavaScript; files and samples are beside it. */
const HEAP_MB = 192

interface Waiting {
  instance: string
  start(): void
}

export class MediaJobs {
  /** The machine's own, if the operator names one. */
  readonly ffmpeg: Ffmpeg | undefined
  readonly #log: Log
  readonly #limits: JobLimits
  readonly #idle: MediaThread[] = []
  #running = 0
  #waiting: Waiting[] = []

  constructor(log: Log, ffmpeg?: Ffmpeg, limits: Partial<JobLimits> = {}) {
    this.ffmpeg = ffmpeg
    this.#log = log
    this.#limits = Object.assign({}, PRESET_LIMITS, limits)
  }

  /** Runs `work` when it is the turn of this file. A refusal names the request's field. */
  async runWork(
    instance: string,
    deadline: AbortSignal,
    work: () => Promise<MediaResult>,
  ): Promise<Outcome<MediaResult>> {
    const { waiting, waitingOfOne } = this.#limits
    const ofOne = this.#waiting.filter((one) => one.instance === instance).length
    if (this.#waiting.length >= waiting || ofOne >= waitingOfOne)
      return createRefusal('quota_reached', 'Too many files wait for their conversion.')
    if (!(await this.#waitForTurn(instance, deadline)))
      return createRefusal('quota_reached', 'The conversions of other files took all the time there was.')
    try {
      return createDoneOutcome(await work())
    } catch (error) {
      if (error instanceof UnsupportedFile)
        return createRefusal('unsupported_media_type', `file ${error.message}.`)
      this.#log.warn({ error, instance }, 'failed to convert file')
      if (error instanceof OutOfTime)
        return createRefusal('quota_reached', 'The conversion of file took all the time there was.')
      return createRefusal('unsupported_media_type', 'file could not be converted within the limits.')
    } finally {
      this.#running -= 1
      this.#startNext()
    }
  }

  /** The same in a thread. */
  runJob(instance: string, job: MediaJob, deadline: AbortSignal): Promise<Outcome<MediaResult>> {
    return this.runWork(instance, deadline, async () => {
      const thread = this.#idle.pop() ?? new MediaThread()
      const reply = await thread.runJob(job, this.#limits.jobMs, deadline).catch((error) => {
        thread.end()
        throw error
      })
      this.#retainThread(thread)
      if ('unsupported' in reply) throw new UnsupportedFile(reply.unsupported)
      return reply.result
    })
  }

  stop(): void {
    for (const thread of this.#idle.splice(0)) thread.end()
  }

  /** False if the time ended first. */
  #waitForTurn(instance: string, deadline: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const waiting: Waiting = { instance, start: () => resolve(true) }
    this.#waiting.push(waiting)
    const leaveQueue = () => {
      this.#waiting = this.#waiting.filter((one) => one !== waiting)
      resolve(false)
    }
    deadline.addEventListener('abort', leaveQueue, { once: true })
    this.#startNext()
    return promise.finally(() => deadline.removeEventListener('abort', leaveQueue))
  }

  #startNext(): void {
    if (this.#running >= this.#limits.threads) return
    const next = this.#waiting.shift()
    if (!next) return
    this.#running += 1
    next.start()
  }

  #retainThread(thread: MediaThread): void {
    this.#idle.push(thread)
    thread.endAfter(this.#limits.idleMs, () => {
      const at = this.#idle.indexOf(thread)
      if (at >= 0) this.#idle.splice(at, 1)
    })
  }
}

/** One thread, which has one job at a time. */
class MediaThread {
  readonly #worker: Worker
  #idleTimer: NodeJS.Timeout | undefined

  constructor() {
    this.#worker = new Worker(new URL('./media-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 16 },
      // What the packages print about a file is for their developers.
      stdout: true,
      stderr: true,
    })
    this.#worker.unref()
    // Each job listens for itself; an error between two jobs must not end the process.
    this.#worker.on('error', () => undefined)
  }

  /** Rejects if the thread breaks, or at the limit: the thread is of no more use then. */
  async runJob(job: MediaJob, limitMs: number, deadline: AbortSignal): Promise<MediaReply> {
    clearTimeout(this.#idleTimer)
    const { promise, resolve, reject } = Promise.withResolvers<MediaReply>()
    const abort = () => reject(new OutOfTime('the job took too long'))
    const timer = setTimeout(abort, limitMs)
    deadline.addEventListener('abort', abort, { once: true })
    this.#worker.once('message', resolve).once('error', reject)
    const rejectExit = () => reject(new Error('the thread ended'))
    this.#worker.once('exit', rejectExit)
    this.#worker.postMessage(job)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      deadline.removeEventListener('abort', abort)
      this.#worker.off('message', resolve).off('error', reject).off('exit', rejectExit)
    }
  }

  endAfter(ms: number, onEnd: () => void): void {
    this.#idleTimer = setTimeout(() => {
      onEnd()
      this.end()
    }, ms)
    this.#idleTimer.unref()
  }

  /** Also in the middle of a loop that does not end. */
  end(): void {
    clearTimeout(this.#idleTimer)
    void this.#worker.terminate()
  }
}
