// A few requests of one caller begin in a turn of the event loop: hundreds that come at once do not go before those of others.

import type { IncomingHttpHeaders } from 'node:http'

/** Of one caller, in a turn of the event loop. */
const AT_ONCE = 4
/** Callers that are remembered. One that was forgotten is as one that is not known yet. */
const MAX_KNOWN = 5000
/** All whose credential is not known share one place: it can be another one in each request. */
const UNKNOWN = ''

interface Owner {
  begun: number
  waiting: (() => void)[]
}

export class RequestStarts {
  /** Those of this turn of the event loop, and those whose requests wait. */
  readonly #owners = new Map<string, Owner>()
  /** Credentials that were valid lately. */
  readonly #known = new Set<string>()
  #isTurnAwaited = false

  /** Undefined if a request of this caller may begin at once. */
  waitForStart(credential: string | undefined): Promise<void> | undefined {
    this.#awaitTurn()
    const name = credential !== undefined && this.#known.has(credential) ? credential : UNKNOWN
    const owner = this.#owners.get(name) ?? { begun: 0, waiting: [] }
    this.#owners.set(name, owner)
    if (owner.begun === AT_ONCE) return new Promise((resolve) => owner.waiting.push(resolve))
    owner.begun += 1
    return undefined
  }

  /** To be called when the credential has turned out to be valid. */
  remember(credential: string): void {
    if (this.#known.size >= MAX_KNOWN) this.#known.clear()
    this.#known.add(credential)
  }

  #awaitTurn(): void {
    if (this.#isTurnAwaited) return
    this.#isTurnAwaited = true
    setImmediate(() => this.#beginTurn())
  }

  #beginTurn(): void {
    this.#isTurnAwaited = false
    for (const [name, owner] of this.#owners) {
      const next = owner.waiting.splice(0, AT_ONCE)
      owner.begun = next.length
      if (next.length === 0) this.#owners.delete(name)
      for (const begin of next) begin()
    }
    if (this.#owners.size > 0) this.#awaitTurn()
  }
}

/** What a request shows of its caller, in the headers of the contract and of the other forms. */
export function readCredential(headers: IncomingHttpHeaders): string | undefined {
  const { token, admintoken, apikey, authorization } = headers
  return [token, admintoken, apikey, authorization].find((value) => typeof value === 'string') as
    | string
    | undefined
}
