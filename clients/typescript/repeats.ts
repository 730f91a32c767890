// Decides when a request of the client is sent again: only where that cannot have a second effect.

import { GatewayError, type GatewayUnreachable } from './errors.ts'
import { repeatRules } from './repeat-rules.ts'

/** How long a call goes on before it throws. */
export interface Repeats {
  /** Requests in all, where the gateway was not reached or said when to come again; 4 by default. */
  attempts?: number
  /** Seconds, 60 by default. A `Retry-After` that is longer is thrown at once. */
  longestPause?: number
  /** Seconds for which an unknown outcome is asked for with the same key; 60 by default. */
  resolveFor?: number
}

/** Ends early, without an error, if the signal aborts. */
export type WaitSeconds = (seconds: number, signal: AbortSignal | undefined) => Promise<void>

const NEVER: Required<Repeats> = { attempts: 1, longestPause: 0, resolveFor: 0 }

const includes = <Value>(list: readonly Value[], value: Value): boolean => list.includes(value)

/** The attempts of one request. */
export class Attempts {
  readonly #limits: Required<Repeats>
  readonly #isKeyed: boolean
  readonly #isReading: boolean
  #failed = 0
  #asked = 0
  #askedFor = 0

  constructor(repeats: Repeats | false, { isKeyed, isReading }: { isKeyed: boolean; isReading: boolean }) {
    this.#limits = repeats ? { ...repeatRules.limits, ...repeats } : NEVER
    this.#isKeyed = isKeyed
    this.#isReading = isReading
  }

  /** Seconds until the next attempt, or undefined if there must not be one. */
  findNextPause(error: GatewayError | GatewayUnreachable): number | undefined {
    const { noAnswer, openOutcome, comeAgain } = repeatRules
    if (!(error instanceof GatewayError) || includes<string>(noAnswer.codes, error.code))
      return this.#pauseWithoutAnswer()
    if (this.#isKeyed && includes<string>(openOutcome.codes, error.code)) return this.#pauseForOutcome()
    if (error.retryAfter && includes<number>(comeAgain.statuses, error.status))
      return this.#countFailure(error.retryAfter)
    return undefined
  }

  #pauseForOutcome(): number | undefined {
    const pause = lengthenPause(repeatRules.openOutcome.pause, this.#asked)
    if (this.#askedFor + pause > this.#limits.resolveFor) return undefined
    this.#asked += 1
    this.#askedFor += pause
    return pause
  }

  /** It may have happened. */
  #pauseWithoutAnswer(): number | undefined {
    if (!this.#isKeyed && !this.#isReading) return undefined
    const { minShare, pause } = repeatRules.noAnswer
    return this.#countFailure(
      (minShare + (1 - minShare) * Math.random()) * lengthenPause(pause, this.#failed),
    )
  }

  #countFailure(pause: number): number | undefined {
    this.#failed += 1
    return pause <= this.#limits.longestPause && this.#failed < this.#limits.attempts ? pause : undefined
  }
}

/** Doubled with each failure. */
export const lengthenPause = (
  { first, longest }: { first: number; longest: number },
  failed: number,
): number => Math.min(first * 2 ** failed, longest)

export const waitSeconds: WaitSeconds = (seconds, signal) =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, seconds * 1000)
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
  })
