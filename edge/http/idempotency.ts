// Idempotency-Key: one effect a key. The key is taken before anything may take effect, and repeats what was answered.

import type { Context, Next } from 'hono'
import { createMiddleware } from 'hono/factory'
import { limits } from '../../shared/contract/version.ts'
import type { Statement } from '../../shared/db/statements.ts'
import { Fault, type FaultName, faultNames } from '../../shared/faults.ts'
import { digest } from '../../shared/tokens.ts'
import { concat, utf8 } from '../bytes.ts'
import type { Actor, EdgeEnv } from '../context.ts'
import { linkOf } from '../hosts/links.ts'
import { log, reasonOf } from '../log.ts'
import { persist } from '../store/database/persist.ts'
import { findKey, type KeyRow } from '../store/idempotency-keys.ts'
import { openAnswer } from '../store/kept-answers.ts'
import { findLateOutcome } from '../store/late-outcomes.ts'
import { IdempotencyClaim } from './idempotency-claim.ts'

const KEY = /^[\x21-\x7e]{1,128}$/
/** An act that was handed over longer ago than this is known to its link object, or to nobody. */
const ON_ITS_WAY = 2000

/** After `readsBody`, whose bytes are part of the fingerprint. `keepFor` in milliseconds. */
export const idempotent = ({ keepFor }: { keepFor: number }) =>
  createMiddleware<EdgeEnv>(async (c, next) => {
    const key = c.req.header('idempotency-key')
    if (key === undefined || c.var.claim) return next()
    if (!isKey(key)) throw new Fault('invalid_idempotency_key')

    const fingerprint = await fingerprintOf(c)
    const named = { scope: c.var.instance?.id ?? keyScopeOf(c.var.actor), key }
    const row = await (c.var.prefetched?.key ?? findKey(c.var.store, named))
    if (row && row.fingerprint !== fingerprint) throw new Fault('idempotency_mismatch')
    if (row?.state === 'answered' && !(await isKnownByNow(c, row))) return keptAnswer(c, row)
    if (row?.state === 'handed' && (await isRunning(c, row))) throw new Fault('idempotency_in_progress')

    const standing = row
      ? { handed: row }
      : { free: { ...named, actId: crypto.randomUUID(), fingerprint, keepFor } }
    await runWith(c, new IdempotencyClaim(c.env, c.var.store, standing), next)
  })

/** Whose keys they are that the admin gives: those of one token are nothing to another. */
export const keyScopeOf = ({ kind, id }: Pick<Actor, 'kind' | 'id'>): string =>
  kind === 'token' ? `token:${id}` : 'admin'

export const isKey = (key: string): boolean => KEY.test(key) && key.length <= limits.idempotencyKeyLength

/** The rest of the request, and then what becomes of its key. */
export async function runWith(c: Context<EdgeEnv>, claim: IdempotencyClaim, next: Next): Promise<void> {
  c.set('claim', claim)
  await next()
  // Asked after, not done: another request had the effect.
  if (claim.recalling) c.res.headers.set('idempotency-replayed', 'true')
  await keep(c, await claim.ending(c.res))
}

/** The answer does not wait for a database that fails: what becomes of the key is then written after the answer. */
async function keep(c: Context<EdgeEnv>, ending: Statement[]): Promise<void> {
  if (ending.length === 0) return
  try {
    await c.var.store.write(ending)
  } catch (error) {
    logNotKept(c, error)
    writeAfterAnswer(c, ending)
  }
}

export function writeAfterAnswer(c: Context<EdgeEnv>, ending: Statement[]): void {
  c.executionCtx.waitUntil(persist(c.var.store, ending).catch((error) => logNotKept(c, error)))
}

const logNotKept = (c: Context<EdgeEnv>, error: unknown): void =>
  log(c.env, 'error', 'answer not kept', { requestId: c.var.requestId, reason: reasonOf(error) })

/** Of a request whose body has been read. */
export async function fingerprintOf(c: Context<EdgeEnv>): Promise<string> {
  return digest(concat([utf8(`${c.req.method}\n${c.req.path}\n`), c.var.rawBody]))
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

/** Whether somebody still waits for the act that was handed over under this key. */
async function isRunning(c: Context<EdgeEnv>, row: KeyRow): Promise<boolean> {
  if (Date.now() - row.createdAt < ON_ITS_WAY) return true
  const { hostId } = c.var.instance
  return hostId !== '' && linkOf(c.env, hostId).isPending(row.actId)
}

/** Whether an outcome that was unknown when it was answered has become known since. */
async function isKnownByNow(c: Context<EdgeEnv>, row: KeyRow): Promise<boolean> {
  return row.status === 504 && (await findLateOutcome(c.env, c.var.store, row.actId)) !== undefined
}
