// Limits of one-time links, in this isolate: wrong secrets of an address, and connects of a link. They do not depend on a caller's token.

import { MINUTE } from '@msgnet/shared/date-time.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { type Rate, RateLimiter } from '@msgnet/shared/rate-limiter.ts'
import type { Context } from 'hono'
import type { EdgeEnv } from '../request/request-context.ts'
import { readClientAddress } from './client-address.ts'

const guesses: Rate = { burst: 20, refill: 20, everyMs: MINUTE }
/** More than a person needs who changes the number, and fewer than the network minds. */
const connects: Rate = { burst: 10, refill: 10, everyMs: MINUTE }
const MAX_REMEMBERED = 1000

export class LinkRates {
  readonly #guesses = new Map<string, RateLimiter>()
  readonly #connects = new Map<string, RateLimiter>()
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
    const wait = (this.#refusedUntil.get(readClientAddress(c)) ?? 0) - Date.now()
    if (wait > 0) throw createTooManyFault(wait)
  }

  countGuess(c: Context<EdgeEnv>): void {
    const address = readClientAddress(c)
    const wait = acquire(this.#guesses, address, guesses)
    if (wait === 0) return
    if (this.#refusedUntil.size >= MAX_REMEMBERED) this.#refusedUntil.clear()
    this.#refusedUntil.set(address, Date.now() + wait)
  }

  countConnect(linkId: string): void {
    const wait = acquire(this.#connects, linkId, connects)
    if (wait > 0) throw createTooManyFault(wait)
  }
}

/** 0, or the milliseconds to wait. */
function acquire(limiters: Map<string, RateLimiter>, name: string, rate: Rate): number {
  const limiter = limiters.get(name) ?? new RateLimiter(rate, Date.now)
  limiters.set(name, limiter)
  if (limiters.size > MAX_REMEMBERED)
    for (const [each, { isFull }] of limiters) if (isFull) limiters.delete(each)
  return limiter.acquire()
}

const createTooManyFault = (waitMs: number) =>
  new Fault('quota_reached', 'Too many attempts. Wait a minute.', Math.ceil(waitMs / 1000))
