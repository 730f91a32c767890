// Idempotency-Key gives each key one effect: it is taken before anything may take effect, and then repeats the stored answer.

import type { Context, Next } from 'hono'
import { createMiddleware } from 'hono/factory'
import { limits } from '../../shared/contract/limits.ts'
import type { Statement } from '../../shared/db/prepared-queries.ts'
import { Fault, type FaultName, faultNames } from '../../shared/fault-table.ts'
import { encodeUtf8 } from '../bytes.ts'
import { log } from '../edge-log.ts'
import type { Actor, EdgeEnv } from '../request-context.ts'
import { writeWithRetries } from '../store/database/persist.ts'
import { IdempotencyClaim } from './idempotency-claim.ts'
import { findKey, type KeyRow } from './key-store.ts'
import { findLateOutcome } from './late-outcomes.ts'
import { openResponse } from './stored-response.ts'

const KEY = /^[\x21-\x7e]{1,128}$/
/** Milliseconds. An act that was handed over longer ago than this is either known to its link object or lost. */
const HAND_OVER_TAKES_AT_MOST = 2000

/** After `createBodyStep`, whose bytes are part of the fingerprint. `retentionMs` in milliseconds. */
export const createIdempotencyStep = ({ retentionMs }: { retentionMs: number }) =>
  createMiddleware<EdgeEnv>(async (c, next) => {
    const key = c.req.header('idempotency-key')
    if (key === undefined || c.get('claim')) return next()
    if (!isValidKey(key)) throw new Fault('invalid_idempotency_key')

    const fingerprint = await computeFingerprint(c)
    const named = { scope: c.get('instance')?.id ?? formatKeyScope(c.get('actor')), key }
    const row = await (c.get('prefetched')?.key ?? findKey(c.get('store'), named))
    if (row && row.fingerprint !== fingerprint) throw new Fault('idempotency_mismatch')
    if (row?.state === 'answered' && !(await hasLateOutcome(c, row))) return replayStoredResponse(c, row)
    if (row?.state === 'handed' && (await isRunning(c, row))) throw new Fault('idempotency_in_progress')

    const standing = row
      ? { handed: row }
      : { free: { ...named, actId: crypto.randomUUID(), fingerprint, retentionMs } }
    await runWithClaim(c, new IdempotencyClaim(c.env, c.get('store'), standing), next)
  })

/** The scope of an admin's keys: each admin token has keys apart from the others. */
export const formatKeyScope = ({ kind, id }: Pick<Actor, 'kind' | 'id'>): string =>
  kind === 'token' ? `token:${id}` : 'admin'

export const isValidKey = (key: string): boolean =>
  KEY.test(key) && key.length <= limits.maxIdempotencyKeyLength

/** Runs the rest of the request, and then stores the answer under the key or frees it. */
export async function runWithClaim(c: Context<EdgeEnv>, claim: IdempotencyClaim, next: Next): Promise<void> {
  c.set('claim', claim)
  await next()
  // This request only recalled the act; an earlier one had the effect.
  if (claim.recalling) c.res.headers.set('idempotency-replayed', 'true')
  await writeFinalState(c, await claim.buildFinalWrite(c.res))
}

/** The answer does not wait for a failing database: the key is then written after the answer. */
async function writeFinalState(c: Context<EdgeEnv>, ending: Statement[]): Promise<void> {
  if (ending.length === 0) return
  try {
    await c.get('store').write(ending)
  } catch (error) {
    logWriteFailure(c, error)
    writeAfterResponse(c, ending)
  }
}

export function writeAfterResponse(c: Context<EdgeEnv>, ending: Statement[]): void {
  c.executionCtx.waitUntil(
    writeWithRetries(c.get('store'), ending).catch((error) => logWriteFailure(c, error)),
  )
}

const logWriteFailure = (c: Context<EdgeEnv>, error: unknown): void =>
  log(c.env, 'error', 'answer not kept', { requestId: c.get('requestId'), error })

/** What the fingerprint takes before the bytes of the body. */
export const readHead = ({ req }: Context<EdgeEnv>) => encodeUtf8(`${req.method}\n${req.path}\n`)

/** The body must have been read before. */
export async function computeFingerprint(c: Context<EdgeEnv>): Promise<string> {
  return c.env.runtime.cryptography.digest(c.get('requestBytes') ?? readHead(c))
}

async function replayStoredResponse(c: Context<EdgeEnv>, row: KeyRow): Promise<Response> {
  const body = await openResponse(c.env, row)
  const retryAfter = row.status >= 400 ? findRetryAfter(body) : undefined
  return c.body(body, row.status as 200, {
    'content-type': 'application/json',
    'idempotency-replayed': 'true',
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
  })
}

function findRetryAfter(body: Uint8Array<ArrayBuffer>): number | undefined {
  const { error } = JSON.parse(new TextDecoder().decode(body)) as { error?: FaultName }
  return error && faultNames.includes(error) ? new Fault(error).retryAfter : undefined
}

/** Whether another request still waits for the act of this key. */
async function isRunning(c: Context<EdgeEnv>, row: KeyRow): Promise<boolean> {
  if (Date.now() - row.createdAt < HAND_OVER_TAKES_AT_MOST) return true
  const { hostId } = c.get('instance')
  return hostId !== '' && c.env.runtime.getLink(hostId).isPending(row.actId)
}

/** Whether the outcome was unknown at the time of the answer and has been resolved since. */
async function hasLateOutcome(c: Context<EdgeEnv>, row: KeyRow): Promise<boolean> {
  return row.status === 504 && (await findLateOutcome(c.env, c.get('store'), row.actId)) !== undefined
}
