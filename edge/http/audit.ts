// The audit log records who did what, from where, and with which result. A change and its entry are one write; a refusal is written after its answer.

import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { AuditAction } from '../../shared/contract/audit.ts'
import type { Statement } from '../../shared/db/statements.ts'
import type { EdgeEnv } from '../context.ts'
import { log, reasonOf } from '../log.ts'
import { auditEntry, CHANGED, type Condition } from '../store/audit.ts'
import { persist } from '../store/database/persist.ts'
import { clientAddress } from './client-address.ts'
import { asFault } from './faults.ts'
import { isUuid } from './uuid.ts'

/** Nothing was attempted: the request could not be read. */
const MALFORMED = [400, 413, 415]

/** The first step of a route, so that it sees the result of all others. */
export const audited = (action: AuditAction) =>
  createMiddleware<EdgeEnv>(async (c, next) => {
    c.set('audited', { action, written: false })
    await next()
    // An unknown caller is not in the log; `unwanted.ts` counts him by address.
    if (!c.get('actor') || MALFORMED.includes(c.res.status)) return
    if (c.res.headers.has('idempotency-replayed')) return
    const refused = c.error && asFault(c.error)
    if (!refused && (c.get('audited')?.written || c.res.status >= 400)) return
    const entry = statement(c, action, targetOf(c), refused ? refused.body.error : 'done')
    c.executionCtx.waitUntil(
      persist(c.get('store'), [entry]).catch((error) =>
        log(c.env, 'error', 'audit entry not written', {
          ...{ requestId: c.get('requestId'), action, reason: reasonOf(error) },
        }),
      ),
    )
  })

/**
 * The entry as a statement that follows the change in the same write, so that both are stored or neither. `ifChanged`: only
 * if the statement before it has changed a row; `onlyIf`: only if this is so at its place in the write. Empty for a route that
 * is not in the log.
 */
export function auditOf(
  c: Context<EdgeEnv>,
  {
    target = targetOf(c),
    ifChanged = false,
    onlyIf = ifChanged ? CHANGED : undefined,
  }: { target?: string; ifChanged?: boolean; onlyIf?: Condition | undefined } = {},
): Statement[] {
  const { audited } = c.var
  if (!audited) return []
  audited.written = true
  return [statement(c, audited.action, target, 'done', onlyIf)]
}

/** For a request that has changed nothing: it has no entry. */
export function skipAudit(c: Context<EdgeEnv>): void {
  const { audited } = c.var
  if (audited) audited.written = true
}

/** Only an id: whatever else a caller writes in its place, a token for one, is not recorded. */
function targetOf(c: Context<EdgeEnv>): string {
  const named = c.req.param('id') ?? ''
  return c.get('instance')?.id ?? (isUuid(named) ? named.toLowerCase() : '')
}

function statement(
  c: Context<EdgeEnv>,
  action: AuditAction,
  target: string,
  outcome: string,
  onlyIf?: Condition,
): Statement {
  const { actor, requestId } = c.var
  const who = { actor: actor.kind, actorId: actor.id, actorName: actor.name }
  const where = { address: clientAddress(c), requestId }
  return auditEntry({ at: Date.now(), action, ...who, target, ...where, outcome }, onlyIf)
}
