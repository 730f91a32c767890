// The laboratories of one server: one that all callers share, one for each test that asks for its own, and spare ones that are started in advance, so that no test waits.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import type { Lab } from './lab-world.ts'

/** Each is five processes. */
const MAX_OWN = 8
const PROGRESS_MS = 5 * SECOND
const OWNER_CHECK_MS = SECOND
/** A test that has its gateway links an account to it first, and another start would take processor time from that. */
const REFILL_DELAY_MS = 2 * SECOND

interface OwnLab {
  lab: Lab
  /** The process of the test; undefined if the caller did not name it. */
  pid: number | undefined
}

interface PoolOptions {
  /** `isSpare`: nobody waits for it yet. */
  open: (signal: AbortSignal, isSpare: boolean) => Promise<Lab>
  /** How many spare ones are started ahead. */
  spare: number
  /** Prints a line: that a test waits, or that a laboratory could not be ended. */
  report: (line: string) => void
}

export class LabPool {
  readonly #options: PoolOptions
  readonly #end = new AbortController()
  readonly #started = new Set<Lab>()
  #spares: Promise<Lab>[] = []
  #shared: Promise<Lab> | undefined
  readonly #own = new Map<string, OwnLab>()
  /** Of tests that wait for theirs. */
  #waiting = 0
  #ids = 0
  /** One at a time: two at once would both be late. */
  #lastStart: Promise<unknown> = Promise.resolve()
  readonly #ownerCheck = setInterval(() => this.#endAbandoned(), OWNER_CHECK_MS)

  /** Resolves when the first one is ready. Throws if it does not start. */
  static async open(options: PoolOptions): Promise<LabPool> {
    const pool = new LabPool(options)
    const first = pool.#start()
    pool.#spares.push(first)
    try {
      await first
    } catch (error) {
      await pool.close()
      throw error
    }
    return pool
  }

  private constructor(options: PoolOptions) {
    this.#options = options
  }

  /** That of all callers. */
  share(): Promise<Lab> {
    this.#shared ??= this.#take().catch((error) => {
      this.#shared = undefined
      throw error
    })
    return this.#shared
  }

  /** One for a test alone, until `release`, or the end of the process `pid`. */
  async takeOwn(pid: number | undefined): Promise<{ id: string; lab: Lab }> {
    if (this.#own.size + this.#waiting >= MAX_OWN)
      throw new OperatorError(`There are ${MAX_OWN} laboratories already: end one by DELETE /labs/{id}.`)
    this.#waiting++
    try {
      const lab = await this.#take()
      const id = String(++this.#ids)
      this.#own.set(id, { lab, pid })
      return { id, lab }
    } finally {
      this.#waiting--
    }
  }

  find(id: string): Lab {
    const found = this.#own.get(id)
    if (!found) throw new OperatorError(`There is no laboratory ${id}: it has ended, or never was.`)
    return found.lab
  }

  async release(id: string): Promise<void> {
    const lab = this.find(id)
    this.#own.delete(id)
    this.#started.delete(lab)
    await lab.close()
  }

  /** Those that are being started end too. */
  async close(): Promise<void> {
    clearInterval(this.#ownerCheck)
    this.#end.abort()
    await this.#lastStart
    await Promise.all([...this.#started].map((lab) => lab.close()))
  }

  async #take(): Promise<Lab> {
    const taken = this.#spares.shift() ?? this.#start()
    setTimeout(() => this.#refill(), REFILL_DELAY_MS).unref()
    const ready = await Promise.race([taken, undefined])
    return ready ?? this.#report(taken)
  }

  #refill(): void {
    if (this.#end.signal.aborted) return
    while (this.#spares.length < this.#options.spare) this.#spares.push(this.#start({ isSpare: true }))
  }

  /** Whoever looks on sees for what the test waits. */
  async #report(taken: Promise<Lab>): Promise<Lab> {
    const startedAt = performance.now()
    const say = (words: string) =>
      this.#options.report(`${words} (${((performance.now() - startedAt) / SECOND).toFixed(1)} s)`)
    const progress = setInterval(() => say('the test waits for its gateway'), PROGRESS_MS)
    say('no spare gateway is ready: a test waits for one that is being started')
    try {
      const lab = await taken
      say('the test that waited has its gateway')
      return lab
    } finally {
      clearInterval(progress)
    }
  }

  #start({ isSpare = false } = {}): Promise<Lab> {
    const started = this.#lastStart.then(async () => {
      const lab = await this.#options.open(this.#end.signal, isSpare)
      this.#started.add(lab)
      return lab
    })
    this.#lastStart = started.catch(() => {
      // The next test has another one started, and gets its error.
      this.#spares = this.#spares.filter((spare) => spare !== started)
    })
    return started
  }

  /** A test that was killed does not release its own. */
  #endAbandoned(): void {
    for (const [id, { pid }] of this.#own)
      if (pid !== undefined && !isRunning(pid))
        this.release(id).catch(({ message }: Error) =>
          this.#options.report(`laboratory ${id}, whose test has ended, could not be ended: ${message}`),
        )
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Of another user, but there.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
