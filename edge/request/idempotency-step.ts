// The step of a route that gives each Idempotency-Key one effect: it claims the key first, and then repeats the stored response.

import { limits } from '@msgnet/shared/contract/limits.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { Fault, type FaultName, faultNames } from '@msgnet/shared/fault-table.ts'
import type { Context, Next } from 'hono'
import { createMiddleware } from 'hono/factory'
import { type ClaimStart, IdempotencyClaim } from '../idempotency/idempotency-claim.ts'
import { decideKeyState } from '../idempotency/key-decision.ts'
import { type KeyRow, KeyStore } from '../idempotency/key-store.ts'
import { findLateOutcome } from '../idempotency/late-outcomes.ts'
import { log } from '../observability/edge-log.ts'
import { encodeUtf8 } from '../runtime/bytes.ts'
import { writeWithRetries } from '../store/database/write-with-retries.ts'
import { rejectFailed } from './inner-request.ts'
import type { Actor, EdgeEnv } from './request-context.ts'

const VISIBLE_ASCII = /^[\x21-\x7e]{1,128}$/
/** Milliseconds. An act that was sent longer ago than this is known to its link object, or was never sent. */
const MAX_DISPATCH_MS = 2000

/** After the step that reads the body, whose bytes are part of the fingerprint. `retentionMs`: how long the response is stored. */
export const createIdempotencyStep = ({ retentionMs }: { retentionMs: number }) =>
  createMiddleware<EdgeEnv>(async (c, next) => {
    const key = c.req.header('idempotency-key')
    if (key === undefined || c.get('claim')) return next()
    if (!isValidKey(key)) throw new Fault('invalid_idempotency_key')

    const keys = new KeyStore(c.env, c.get('store'))
    const fingerprint = await computeFingerprint(c)
    const name = { scope: findKeyScope(c), key }
    const row = await (c.get('prefetched')?.key ?? keys.find(name))
    const state = decideKeyState(row, fingerprint)
    if (row && state === 'answered' && !(await hasLateOutcome(c, row)))
      return replayStoredResponse(c, keys, row)
    if (row && state === 'dispatched' && (await isRunning(c, row))) throw new Fault('idempotency_in_progress')
    rejectFailed(c)

    const start: ClaimStart = row
      ? { state: 'dispatched', row }
      : { state: 'free', claim: { ...name, actId: crypto.randomUUID(), fingerprint, retentionMs } }
    await runWithClaim(c, new IdempotencyClaim(keys, start), next)
  })

/** An admin that acts for an instance has keys of its own there, and so has a scoped token: they never meet those of the instance. */
function findKeyScope(c: Context<EdgeEnv>): string {
  const { actor, instance } = c.var
  if (actor.grant) return `${instance.id} scoped:${actor.grant.id}`
  if (actor.as === undefined) return instance?.id ?? formatKeyScope(actor)
  return formatActingScope(instance.id, actor)
}

/** It begins with the instance, so that its keys are found when it is deleted. */
const formatActingScope = (instanceId: string, admin: Pick<Actor, 'kind' | 'id'>): string =>
  `${instanceId} ${formatKeyScope(admin)}`

/** The scope of an admin's keys: each admin token has its own keys. */
export const formatKeyScope = ({ kind, id }: Pick<Actor, 'kind' | 'id'>): string =>
  kind === 'token' ? `token:${id}` : 'admin'

export const isValidKey = (key: string): boolean =>
  VISIBLE_ASCII.test(key) && key.length <= limits.maxIdempotencyKeyLength

/** The acts of requests that this process works on. */
const actsUnderWay = new Set<string>()

/** Runs the rest of the request, and then stores the response for the key or releases it. */
export async function runWithClaim(c: Context<EdgeEnv>, claim: IdempotencyClaim, next: Next): Promise<void> {
  const { actId } = claim.owner
  c.set('claim', claim)
  if (!claim.isRecall) actsUnderWay.add(actId)
  try {
    await next()
    // This request only recalled the act; an earlier one had the effect.
    if (claim.isRecall) c.res.headers.set('idempotency-replayed', 'true')
    await writeFinalState(c, await claim.buildFinalWrite(c.res))
  } finally {
    actsUnderWay.delete(actId)
  }
}

/** The response does not wait for a failing database: the key is then written after the response. */
async function writeFinalState(c: Context<EdgeEnv>, finalWrite: Statement[]): Promise<void> {
  if (finalWrite.length === 0) return
  try {
    await c.get('store').write(finalWrite)
  } catch (error) {
    logWriteFailure(c, error)
    writeAfterResponse(c, finalWrite)
  }
}

export function writeAfterResponse(c: Context<EdgeEnv>, statements: Statement[]): void {
  c.executionCtx.waitUntil(
    writeWithRetries(c.get('store'), statements).catch((error) => logWriteFailure(c, error)),
  )
}

const logWriteFailure = (c: Context<EdgeEnv>, error: unknown): void =>
  log(c.env, 'error', 'failed to store response', {
    requestId: c.get('requestId'),
    error,
  })

/** What the fingerprint covers before the bytes of the body. */
export const readHead = ({ req }: Context<EdgeEnv>) => encodeUtf8(`${req.method}\n${req.path}\n`)

/** The body must have been read before. */
export async function computeFingerprint(c: Context<EdgeEnv>): Promise<string> {
  return c.env.runtime.cryptography.digest(c.get('requestBytes') ?? readHead(c))
}

async function replayStoredResponse(c: Context<EdgeEnv>, keys: KeyStore, row: KeyRow): Promise<Response> {
  const body = await keys.openResponse(row)
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
  if (actsUnderWay.has(row.actId) || Date.now() - row.createdAt < MAX_DISPATCH_MS) return true
  const { hostId } = c.get('instance')
  return hostId !== '' && c.env.runtime.getLink(hostId).isPending(row.actId)
}

/** Whether the outcome was unknown at the time of the response and has been resolved since. */
async function hasLateOutcome(c: Context<EdgeEnv>, row: KeyRow): Promise<boolean> {
  return row.status === 504 && (await findLateOutcome(c.env, c.get('store'), row.actId)) !== undefined
}
