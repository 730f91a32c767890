// Routes with large answers are served in turns by token, with a bound on their bytes a minute.

import { MIB } from '@msgnet/shared/contract/limits.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { FairTurns, type TurnLimits, TurnRefused } from '@msgnet/shared/fair-turns.ts'
import type { Fault } from '@msgnet/shared/fault-table.ts'
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { formatHolder } from '../limits/held-bytes.ts'
import { createLimitFault, createQuotaFault } from '../limits/quotas.ts'
import { registerTurns } from '../observability/turns-in-metrics.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { type Env, readLimit } from '../settings/env.ts'

/** A page takes milliseconds, unless its filters pass over many rows. */
const LIMITS: TurnLimits = { maxUnderWay: 4, maxUnderWayOfOne: 2, maxWaiting: 256, maxWaitingOfOne: 8 }
const MAX_WAIT_MS = 10 * SECOND

let turns: FairTurns | undefined

function openTurns(env: Env): FairTurns {
  const megabytes = readLimit(env, 'PAGE_MB')
  const cost = megabytes > 0 && { costPerMinute: megabytes * MIB }
  turns ??= registerTurns('pages', new FairTurns({ ...LIMITS, ...cost }))
  return turns
}

/** After authentication. The turn includes what is read and written for the answer. */
export const takePageTurn = createMiddleware<EdgeEnv>(async (c, next) => {
  const signal = AbortSignal.any([c.req.raw.signal, AbortSignal.timeout(MAX_WAIT_MS)])
  try {
    c.set('page', { turn: await openTurns(c.env).takeTurn(formatHolder(c.var.actor), signal), bytes: 0 })
  } catch (error) {
    if (!(error instanceof TurnRefused)) throw error
    if (error.reason === 'cost') throw createSpentFault(c, error.waitMs)
    c.set('overRate', true)
    throw createQuotaFault('pages', error.waitMs)
  }
  await next()
})

/** Of an answer that is made without reading anything, so it takes no turn. Throws if its caller has used its minute. */
export function chargePage(c: Context<EdgeEnv>, bytes: number): void {
  const waitMs = openTurns(c.env).charge(formatHolder(c.var.actor), bytes)
  if (waitMs > 0) throw createSpentFault(c, waitMs)
}

function createSpentFault(c: Context<EdgeEnv>, waitMs: number): Fault {
  c.set('overRate', true)
  return createLimitFault('PAGE_MB', readLimit(c.env, 'PAGE_MB'), waitMs)
}

/** Before the steps that compress and tag the answer, which belong to the turn. */
export const endPageTurn = createMiddleware<EdgeEnv>(async (c, next) => {
  try {
    await next()
  } finally {
    const page = c.get('page')
    page?.turn.end(page.bytes)
  }
})
