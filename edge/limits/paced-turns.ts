// Turns at answers that go on page by page: one page of an owner at a time, round the owners. What has begun is never refused, it only
// goes on more slowly.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { FairTurns, type Turn, type TurnLimits, TurnRefused } from '@msgnet/shared/fair-turns.ts'
import { registerTurns } from '../observability/turns-in-metrics.ts'
import { setTimerDeadline } from '../runtime/deadlines.ts'

/** In milliseconds. After a page that took longer, nothing is read for its owner for as long: requests of others go between. */
const SHORT_MS = 5

export class PacedTurns {
  readonly #work: string
  readonly #limits: TurnLimits
  #opened: FairTurns | undefined

  /** `work`: its name in the metrics. The costs of the limits are in milliseconds. */
  constructor(work: string, limits: TurnLimits) {
    this.#work = work
    this.#limits = limits
  }

  /** Reads the first page, when it is the turn of its owner. Throws TurnRefused. */
  runFirst<Page>(owner: string, readPage: () => Promise<Page>, signal?: AbortSignal): Promise<Page> {
    return stayAwake(this.#turns.runTimed(owner, readPage, signal))
  }

  /** Reads another page. An owner that has used its minute waits. */
  async runNext<Page>(owner: string, readPage: () => Promise<Page>): Promise<Page> {
    const turn = await this.#waitForTurn(owner)
    const began = performance.now()
    let took = 0
    try {
      const page = await readPage()
      took = performance.now() - began
      if (took > SHORT_MS) await wait(took)
      return page
    } finally {
      turn.end(took)
    }
  }

  // The runtime of Cloudflare has no clock before the first request.
  get #turns(): FairTurns {
    this.#opened ??= registerTurns(this.#work, new FairTurns(this.#limits))
    return this.#opened
  }

  async #waitForTurn(owner: string): Promise<Turn> {
    for (;;) {
      try {
        return await stayAwake(this.#turns.takeTurn(owner))
      } catch (error) {
        if (!(error instanceof TurnRefused)) throw error
        await wait(error.waitMs)
      }
    }
  }
}

/** The runtime of Cloudflare ends a request that has nothing under way itself, as one that waits for the turn of another. */
async function stayAwake<Value>(waiting: Promise<Value>): Promise<Value> {
  let cancel: () => void = () => undefined
  const renew = () => {
    cancel = setTimerDeadline(SECOND, renew)
  }
  renew()
  try {
    return await waiting
  } finally {
    cancel()
  }
}

const wait = (ms: number) => new Promise<void>((resolve) => void setTimerDeadline(ms, resolve))
