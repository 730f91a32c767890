// Requests without a valid credential, or over their token's rate, are counted by address and logged once a minute for each, so that they cannot flood the log.

import { MINUTE } from '@msgnet/shared/date-time.ts'
import type { Context } from 'hono'
import { type CounterName, count, mergeCounts } from '../observability/counters.ts'
import { log } from '../observability/edge-log.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import type { Env } from '../settings/env.ts'
import { readClientAddress } from './client-address.ts'

/** The number of addresses that are counted one by one; all others are counted together. */
const MAX_ADDRESSES = 100
const OTHERS = 'others'

interface AddressCount {
  unlogged: number
  loggedAt: number
}

/** Counts one kind of such requests, in this isolate. */
class Tally {
  readonly #seen = new Map<string, AddressCount>()
  readonly #counter: CounterName
  /** Their text in the log. */
  readonly #label: string

  constructor(counter: CounterName, label: string) {
    this.#counter = counter
    this.#label = label
  }

  countAddress(env: Env, address: string): void {
    const name = this.#seen.has(address) || this.#dropQuiet() ? address : OTHERS
    const entry = this.#seen.get(name) ?? { unlogged: 0, loggedAt: 0 }
    this.#seen.set(name, entry)
    entry.unlogged++
    count(this.#counter, { address: name })
    this.#logDue(env, name, entry)
  }

  /** Logs the addresses whose last line is a minute old. */
  logAllDue(env: Env): void {
    for (const [address, entry] of this.#seen) this.#logDue(env, address, entry)
  }

  #logDue(env: Env, address: string, entry: AddressCount): void {
    if (entry.unlogged === 0 || Date.now() - entry.loggedAt < MINUTE) return
    log(env, 'warn', this.#label, { address, count: entry.unlogged })
    entry.unlogged = 0
    entry.loggedAt = Date.now()
  }

  /** Removes an address without requests in the last minute. Returns false if there is none. */
  #dropQuiet(): boolean {
    if (this.#seen.size < MAX_ADDRESSES) return true
    const isQuiet = ([address, { unlogged, loggedAt }]: [string, AddressCount]) =>
      address !== OTHERS && unlogged === 0 && Date.now() - loggedAt >= MINUTE
    const [quiet] = [...this.#seen].find(isQuiet) ?? []
    if (quiet === undefined) return false
    mergeCounts(this.#counter, { address: quiet }, { address: OTHERS })
    return this.#seen.delete(quiet)
  }
}

const wrongCredentials = new Tally('edge_wrong_credentials_total', 'wrong credentials')
const unknownRoutes = new Tally('edge_unknown_routes_total', 'unknown routes requested')
const overRates = new Tally('edge_over_rate_total', 'requests over the rate of their token')
const openRoutes = new Tally('edge_open_requests_total', 'requests that need no credential')

/** Returns true if the response was counted here; then it has no log line of its own. */
export function countUnwanted(c: Context<EdgeEnv>): boolean {
  const tally = selectTally(c)
  tally?.countAddress(c.env, readClientAddress(c))
  return tally !== undefined
}

/** Undefined if the caller is known and within its rate, or if the error is the server's. */
function selectTally(c: Context<EdgeEnv>): Tally | undefined {
  const { status } = c.res
  if (status === 401) return wrongCredentials
  if (c.get('overRate')) return overRates
  if (c.get('store') || c.get('host') || status >= 500) return undefined
  return status === 404 || status === 405 ? unknownRoutes : openRoutes
}

/** Called by the tick, once a minute. */
export function logUnwanted(env: Env): void {
  wrongCredentials.logAllDue(env)
  unknownRoutes.logAllDue(env)
  openRoutes.logAllDue(env)
  overRates.logAllDue(env)
}
