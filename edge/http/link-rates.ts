// Limits of one-time links, in this isolate: wrong secrets of an address, and connects of a link. They do not depend on a caller's token.

import { MINUTE } from '@msgnet/shared/date-time.ts'
import type { Rate } from '@msgnet/shared/rate-limiter.ts'
import type { Context } from 'hono'
import { AddressRates, createTooManyFault } from '../limits/address-rates.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { readClientNetwork } from './client-address.ts'

const guesses: Rate = { burst: 20, refill: 20, everyMs: MINUTE }
/** More than a person needs who changes the number, and fewer than the network minds. */
const connects: Rate = { burst: 10, refill: 10, everyMs: MINUTE }
const MAX_REMEMBERED = 1000

export class LinkRates {
  readonly #guesses = new AddressRates(guesses)
  readonly #connects = new AddressRates(connects)
  /** Digests that were valid lately: behind one proxy, the guesses of another person do not lock them out. */
  readonly #known = new Set<string>()
  /** Addresses with too many guesses, and until when. They are refused before the database is read. */
  readonly #refusedUntil = new Map<string, number>()

  rememberSecret(secretHash: string): void {
    this.#known.add(secretHash)
    if (this.#known.size > MAX_REMEMBERED) this.#known.clear()
  }

  rejectGuesses(c: Context<EdgeEnv>, secretHash: string): void {
    if (this.#known.has(secretHash)) return
    const wait = (this.#refusedUntil.get(readClientNetwork(c)) ?? 0) - Date.now()
    // More than a minute: the clock was set back.
    if (wait > 0 && wait <= MINUTE) throw createTooManyFault(wait)
  }

  countGuess(c: Context<EdgeEnv>): void {
    const address = readClientNetwork(c)
    const wait = this.#guesses.acquire(address)
    if (wait === 0) return
    if (this.#refusedUntil.size >= MAX_REMEMBERED) this.#refusedUntil.clear()
    this.#refusedUntil.set(address, Date.now() + wait)
  }

  countConnect(linkId: string): void {
    this.#connects.take(linkId)
  }
}
