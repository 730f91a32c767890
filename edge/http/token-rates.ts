// Counts what each token does in a minute, in this isolate: requests, openings of streams, changes of webhooks.

import type { UseRate } from '@msgnet/shared/api/route-declaration.ts'
import { MINUTE } from '@msgnet/shared/date-time.ts'
import { hashSha256 } from '@msgnet/shared/random-tokens.ts'
import { RateLimiter } from '@msgnet/shared/rate-limiter.ts'
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { createLimitFault } from '../limits/quotas.ts'
import type { Actor, EdgeEnv } from '../request/request-context.ts'
import { readLimit } from '../settings/env.ts'

type RateName = 'REQUEST_RATE' | UseRate

/** By the limit and the owner of the token. */
const meters = new Map<string, RateLimiter>()
let cleanedAt = 0

/**
 * Valid tokens, by the limit and their digest, that have done all they may in this minute, and when it ends. They are refused
 * before the database is read. An invalid token is never in it.
 */
const exhausted = new Map<string, number>()

/** Counts a request of a known caller. Throws if its token has made too many. */
export function countRequest(c: Context<EdgeEnv>, actor: Actor, tokenHash: string): void {
  if (!hasRequestLeft(c, actor, tokenHash)) rejectExhausted(c, tokenHash)
}

/** The same for a caller that is known but not authenticated yet: nothing is thrown, `rejectExhausted` will do that. */
export function hasRequestLeft(c: Context<EdgeEnv>, actor: Actor, tokenHash: string): boolean {
  const wait = takeFromMeter(c, 'REQUEST_RATE', actor)
  if (wait > 0) exhausted.set(`REQUEST_RATE ${tokenHash}`, Date.now() + wait)
  return wait === 0
}

/** Throws if this token was refused before and its minute has not ended. */
export function rejectExhausted(
  c: Context<EdgeEnv>,
  tokenHash: string,
  name: RateName = 'REQUEST_RATE',
): void {
  const key = `${name} ${tokenHash}`
  const until = exhausted.get(key)
  if (until === undefined) return
  const wait = until - Date.now()
  // More than a minute: the clock was set back.
  if (wait <= 0 || wait > MINUTE) return void exhausted.delete(key)
  c.set('overRate', true)
  throw createLimitFault(name, readLimit(c.env, name), wait)
}

/**
 * The first step of a route with a rate of its own: an instance that has used it up is refused before anything is read or
 * written for it, entries of the audit log among it.
 */
export const rejectSpentRate = (name: UseRate) =>
  createMiddleware<EdgeEnv>(async (c, next) => {
    const token = c.req.header('token') ?? c.req.header('admintoken')
    if (token && exhausted.size > 0) rejectExhausted(c, await hashSha256(token), name)
    await next()
  })

/** Counts another kind of use by the caller of this request. Throws if there are too many. */
export function countUse(c: Context<EdgeEnv>, name: UseRate): void {
  const wait = takeFromMeter(c, name, c.get('actor'))
  if (wait === 0) return
  if (c.get('tokenHash')) exhausted.set(`${name} ${c.get('tokenHash')}`, Date.now() + wait)
  throw createLimitFault(name, readLimit(c.env, name), wait)
}

/** 0, or the milliseconds until it may be done again. */
function takeFromMeter(c: Context<EdgeEnv>, name: RateName, { kind, id }: Actor): number {
  const aMinute = readLimit(c.env, name)
  if (aMinute === 0) return 0
  removeIdleMeters()
  const key = `${name} ${kind} ${id}`
  let meter = meters.get(key)
  if (!meter) {
    // The whole rate comes back at once: never more than so many within a minute of the first.
    meter = new RateLimiter({ burst: aMinute, refill: aMinute, everyMs: MINUTE }, Date.now)
    meters.set(key, meter)
  }
  return meter.acquire()
}

/** A meter whose minute has ended is like a new one. */
function removeIdleMeters(): void {
  const now = Date.now()
  if (Math.abs(now - cleanedAt) < MINUTE) return
  cleanedAt = now
  for (const [key, meter] of meters) if (meter.isFull) meters.delete(key)
  for (const [key, until] of exhausted) if (until <= now || until > now + MINUTE) exhausted.delete(key)
}
