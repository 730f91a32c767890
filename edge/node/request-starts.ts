// A few requests of one caller begin in a turn of the event loop: hundreds that come at once do not go before those of others.

/** Of one caller, in a turn of the event loop. */
const AT_ONCE = 4
/** Callers that are counted at a time, without a look at whether their turn has ended. */
const MAX_COUNTED = 100
/** Credentials that are remembered. One that was forgotten is as one that is not known yet. */
const MAX_KNOWN = 5000
interface Owner {
  /** Since the end of a turn was last awaited: some of them may be of earlier turns. */
  begun: number
  waiting: (() => void)[]
}

export class RequestStarts {
  /** Those of this turn of the event loop, and those whose requests wait. */
  readonly #owners = new Map<string, Owner>()
  /** Whose they are, of credentials that came with valid requests lately. */
  readonly #known = new Map<string, string>()
  #isTurnAwaited = false

  /**
   * Undefined if a request of this caller may begin at once. All of one address whose credential is not known share a place: it can
   * be another one in each request.
   */
  waitForStart(credential: string | undefined, address: string | undefined): Promise<void> | undefined {
    const name = (credential !== undefined && this.#known.get(credential)) || `at ${address}`
    const owner = this.#owners.get(name) ?? { begun: 0, waiting: [] }
    this.#owners.set(name, owner)
    // To await the end of each turn would cost a single request another round of the event loop.
    if (owner.begun === AT_ONCE || this.#owners.size > MAX_COUNTED) this.#awaitTurn()
    if (owner.begun === AT_ONCE) return new Promise((resolve) => owner.waiting.push(resolve))
    owner.begun += 1
    return undefined
  }

  /**
   * To be called when the request has turned out to be of this caller. All that it shows as its credential is one caller's: of
   * several headers another one may have been checked.
   */
  remember(credential: string, caller: string): void {
    if (this.#known.size >= MAX_KNOWN && !this.#known.has(credential)) this.#known.clear()
    this.#known.set(credential, caller)
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

/** In the headers of the contract and of the other forms. */
const CREDENTIALS = new Set(['token', 'admintoken', 'apikey', 'authorization'])
const LENGTHS = new Set([...CREDENTIALS].map(({ length }) => length))

/** What a request shows of its caller. `headers`: names and values as they came, because Node makes an object of them when it is first read. */
export function readCredential(headers: string[]): string | undefined {
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? ''
    if (LENGTHS.has(name.length) && CREDENTIALS.has(name.toLowerCase())) return headers[at + 1]
  }
  return undefined
}
