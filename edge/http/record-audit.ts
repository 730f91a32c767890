// The audit log records each change with its actor, address and result. A change and its entry are one write; a refusal is written after its response.

import { type AuditAction, readingActions } from '@msgnet/shared/contract/audit-actions.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { log } from '../observability/edge-log.ts'
import type { Actor, EdgeEnv } from '../request/request-context.ts'
import { CHANGED, type Condition, insertAuditEntry, isFirstOfHour } from '../store/audit-queries.ts'
import { writeWithRetries } from '../store/database/write-with-retries.ts'
import { readClientAddress } from './client-address.ts'
import { toFault } from './fault-response.ts'
import { isUuid } from './uuid.ts'

/** Nothing was attempted: the request could not be read. */
const MALFORMED = [400, 413, 415]

/** The first step of a route, so that it sees the result of all others. */
export const auditRoute = (action: AuditAction) =>
  createMiddleware<EdgeEnv>(async (c, next) => {
    c.set('audited', { action, written: false })
    await next()
    recordResult(c, action, c.error)
  })

/**
 * The same within another step, whose refusals it sees too. Without an entry in the log no texts are shown: it is written before the
 * response. The console reads a conversation by many requests, so that it has one entry an hour.
 */
export async function auditUse(
  c: Context<EdgeEnv>,
  action: AuditAction,
  next: () => Promise<unknown>,
): Promise<void> {
  c.set('audited', { action, written: false })
  try {
    await next()
  } catch (error) {
    recordResult(c, action, error)
    throw error
  }
  const reading = readingActions.find((each) => each === action)
  if (!reading || !c.res.ok) return recordResult(c, action, c.error)
  if (c.get('audited')?.written) return
  const onlyIf = isFromOwnPage(c)
    ? isFirstOfHour(Date.now(), reading, describeActor(c.get('actor')))
    : undefined
  await writeWithRetries(c.get('store'), buildAuditEntry(c, { onlyIf })).catch(async (error) => {
    await c.res.body?.cancel()
    throw error
  })
}

/** As browsers say it, of the console and the documentation. Where they do not, over http, each request has its entry. */
const isFromOwnPage = (c: Context<EdgeEnv>): boolean => c.req.header('sec-fetch-site') === 'same-origin'

function recordResult(c: Context<EdgeEnv>, action: AuditAction, error: unknown): void {
  const refused = error === undefined ? undefined : toFault(error)
  // An unknown caller is not in the log; `unwanted-requests.ts` counts it by address.
  if (!c.get('actor') || MALFORMED.includes(refused?.status ?? c.res.status)) return
  if (c.res.headers.has('idempotency-replayed')) return
  if (!refused && (c.get('audited')?.written || c.res.status >= 400)) return
  const entry = toAuditStatement(c, action, findAuditTarget(c), refused ? refused.body.error : 'done')
  c.executionCtx.waitUntil(
    writeWithRetries(c.get('store'), [entry]).catch((failure) =>
      log(c.env, 'error', 'failed to write audit entry', {
        requestId: c.get('requestId'),
        action,
        error: failure,
      }),
    ),
  )
}

/**
 * The entry as a statement that follows the change in the same write, so that both are stored or neither. `ifChanged`: only
 * if the statement before it has changed a row; `onlyIf`: only if this is so at its place in the write. Empty for a route that
 * is not in the log.
 */
export function buildAuditEntry(
  c: Context<EdgeEnv>,
  {
    target = findAuditTarget(c),
    ifChanged = false,
    onlyIf = ifChanged ? CHANGED : undefined,
  }: { target?: string; ifChanged?: boolean; onlyIf?: Condition | undefined } = {},
): Statement[] {
  const { audited } = c.var
  if (!audited) return []
  audited.written = true
  return [toAuditStatement(c, audited.action, target, 'done', onlyIf)]
}

/** For a request that has changed nothing: it has no entry. */
export function skipAudit(c: Context<EdgeEnv>): void {
  const { audited } = c.var
  if (audited) audited.written = true
}

/** Only an id: whatever else a caller writes in its place, a token for one, is not recorded. */
function findAuditTarget(c: Context<EdgeEnv>): string {
  const named = c.get('actor')?.as ?? c.req.param('id') ?? ''
  return c.get('instance')?.id ?? (isUuid(named) ? named.toLowerCase() : '')
}

/** A scoped token acts for its instance. */
function describeActor({ kind, id, name, as = '', grant }: Actor) {
  if (grant) return { actor: 'scoped' as const, actorId: grant.id, actorName: grant.name, as: id }
  return { actor: kind, actorId: id, actorName: name, as }
}

function toAuditStatement(
  c: Context<EdgeEnv>,
  action: AuditAction,
  target: string,
  outcome: string,
  onlyIf?: Condition,
): Statement {
  const { actor, requestId } = c.var
  const who = describeActor(actor)
  const where = { address: readClientAddress(c), requestId }
  return insertAuditEntry({ at: Date.now(), action, ...who, target, ...where, outcome }, onlyIf)
}
