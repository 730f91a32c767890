// Idempotency-Key gives each key one effect: it is taken before anything may take effect, and then repeats the stored answer.

import type { Context, Next } from 'hono'
import { createMiddleware } from 'hono/factory'
import { limits } from '../../shared/contract/version.ts'
import type { Statement } from '../../shared/db/statements.ts'
import { Fault, type FaultName, faultNames } from '../../shared/faults.ts'
import { utf8 } from '../bytes.ts'
import type { Actor, EdgeEnv } from '../context.ts'
import { log, reasonOf } from '../log.ts'
import { persist } from '../store/database/persist.ts'
import { findKey, type KeyRow } from '../store/idempotency-keys.ts'
import { openAnswer } from '../store/kept-answers.ts'
import { findLateOutcome } from '../store/late-outcomes.ts'
import { IdempotencyClaim } from './idempotency-claim.ts'

const KEY = /^[\x21-\x7e]{1,128}$/
/** Milliseconds. An act that was handed over longer ago than this is either known to its link object or lost. */
const HAND_OVER_TAKES_AT_MOST = 2000

/** After `readsBody`, whose bytes are part of the fingerprint. `keepFor` in milliseconds. */
export const idempotent = ({ keepFor }: { keepFor: number }) =>
  createMiddleware<EdgeEnv>(async (c, next) => {
    const key = c.req.header('idempotency-key')
    if (key === undefined || c.get('claim')) return next()
    if (!isKey(key)) throw new Fault('invalid_idempotency_key')

    const fingerprint = await fingerprintOf(c)
    const named = { scope: c.get('instance')?.id ?? keyScopeOf(c.get('actor')), key }
    const row = await (c.get('prefetched')?.key ?? findKey(c.get('store'), named))
    if (row && row.fingerprint !== fingerprint) throw new Fault('idempotency_mismatch')
    if (row?.state === 'answered' && !(await isKnownByNow(c, row))) return keptAnswer(c, row)
    if (row?.state === 'handed' && (await isRunning(c, row))) throw new Fault('idempotency_in_progress')

    const standing = row
      ? { handed: row }
      : { free: { ...named, actId: crypto.randomUUID(), fingerprint, keepFor } }
    await runWith(c, new IdempotencyClaim(c.env, c.get('store'), standing), next)
  })

/** The scope of an admin's keys: each admin token has keys apart from the others. */
export const keyScopeOf = ({ kind, id }: Pick<Actor, 'kind' | 'id'>): string =>
  kind === 'token' ? `token:${id}` : 'admin'

export const isKey = (key: string): boolean => KEY.test(key) && key.length <= limits.idempotencyKeyLength

/** Runs the rest of the request, and then stores the answer under the key or frees it. */
export async function runWith(c: Context<EdgeEnv>, claim: IdempotencyClaim, next: Next): Promise<void> {
  c.set('claim', claim)
  await next()
  // This request only recalled the act; an earlier one had the effect.
  if (claim.recalling) c.res.headers.set('idempotency-replayed', 'true')
  await keep(c, await claim.ending(c.res))
}

/** The answer does not wait for a failing database: the key is then written after the answer. */
async function keep(c: Context<EdgeEnv>, ending: Statement[]): Promise<void> {
  if (ending.length === 0) return
  try {
    await c.get('store').write(ending)
  } catch (error) {
    logNotKept(c, error)
    writeAfterAnswer(c, ending)
  }
}

export function writeAfterAnswer(c: Context<EdgeEnv>, ending: Statement[]): void {
  c.executionCtx.waitUntil(persist(c.get('store'), ending).catch((error) => logNotKept(c, error)))
}

const logNotKept = (c: Context<EdgeEnv>, error: unknown): void =>
  log(c.env, 'error', 'answer not kept', { requestId: c.get('requestId'), reason: reasonOf(error) })

/** What the fingerprint takes before the bytes of the body. */
export const readHead = ({ req }: Context<EdgeEnv>) => utf8(`${req.method}\n${req.path}\n`)

/** The body must have been read before. */
export async function fingerprintOf(c: Context<EdgeEnv>): Promise<string> {
  return c.env.runtime.cryptography.digest(c.get('requestBytes') ?? readHead(c))
}

async function keptAnswer(c: Context<EdgeEnv>, row: KeyRow): Promise<Response> {
  const body = await openAnswer(c.env, row)
  const retryAfter = row.status >= 400 ? retryAfterOf(body) : undefined
  return c.body(body, row.status as 200, {
    ...{ 'content-type': 'application/json', 'idempotency-replayed': 'true' },
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
  })
}

function retryAfterOf(body: Uint8Array<ArrayBuffer>): number | undefined {
  const { error } = JSON.parse(new TextDecoder().decode(body)) as { error?: FaultName }
  return error && faultNames.includes(error) ? new Fault(error).retryAfter : undefined
}

/** Whether another request still waits for the act of this key. */
async function isRunning(c: Context<EdgeEnv>, row: KeyRow): Promise<boolean> {
  if (Date.now() - row.createdAt < HAND_OVER_TAKES_AT_MOST) return true
  const { hostId } = c.get('instance')
  return hostId !== '' && c.env.runtime.link(hostId).isPending(row.actId)
}

/** Whether the outcome was unknown at the time of the answer and has been resolved since. */
async function isKnownByNow(c: Context<EdgeEnv>, row: KeyRow): Promise<boolean> {
  return row.status === 504 && (await findLateOutcome(c.env, c.get('store'), row.actId)) !== undefined
}
