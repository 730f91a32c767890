// Handlers that read the stored events.

import type { Context } from 'hono'
import { includesScope } from '../../shared/api/admin-scope.ts'
import { Fault } from '../../shared/fault-table.ts'
import { buildAuditEntry } from '../http/record-audit.ts'
import type { Handlers } from '../http/serve-route.ts'
import { toEventRecord, toFailureRecord } from '../records/event-record.ts'
import type { EdgeEnv } from '../request-context.ts'
import { writeWithRetries } from '../store/database/write-with-retries.ts'
import { listEvents, listFailures } from '../store/events/event-queries.ts'
import { findInstanceById } from '../store/instance-queries.ts'
import { requireWebhooks } from './webhook-routes.ts'

export const MAX_FAILURES = 50

const toMilliseconds = (instant: string | undefined) => (instant ? Date.parse(instant) : undefined)

export const eventHandlers = {
  async listEvents(c, { query }) {
    const { instance: named, from, to, ...filter } = query
    const isAdmin = c.var.actor.kind !== 'instance'
    const instanceId = isAdmin ? await requireNamedInstance(c, query) : requireOwnInstance(c, named)
    const rows = await listEvents(c.var.store, instanceId, {
      ...filter,
      from: toMilliseconds(from),
      to: toMilliseconds(to),
    })
    const withTexts = !isAdmin || includesScope(c.var.actor.scope ?? 'read', 'operate')
    if (isAdmin && withTexts && rows.length > 0) await recordReading(c, instanceId)
    const events = await Promise.all(rows.map((row) => toEventRecord(c.env, row, withTexts)))
    return { events, ...(query.status && { status: query.status }) }
  },

  async listDeliveryFailures(c) {
    requireWebhooks(c)
    const rows = await listFailures(c.var.store, c.var.instance.id, MAX_FAILURES)
    return { errors: await Promise.all(rows.map((row) => toFailureRecord(c.env, row))) }
  },
} satisfies Partial<Handlers>

function requireOwnInstance(c: Context<EdgeEnv>, named: string | undefined): string {
  const own = c.var.instance.id
  if (named !== undefined && named !== own)
    throw new Fault('invalid_query', 'instance must be that of the token, or left out.')
  return own
}

type Named = Partial<Record<'instance' | 'messageid', string | undefined>> & { afterSeq?: number | undefined }

/** Undefined: a message is searched in all instances. */
async function requireNamedInstance(
  c: Context<EdgeEnv>,
  { instance, messageid, afterSeq }: Named,
): Promise<string | undefined> {
  if (instance === undefined && messageid === undefined)
    throw new Fault('invalid_query', 'instance must be given, unless messageid is.')
  // A seq counts the events of one instance.
  if (instance === undefined && afterSeq !== undefined)
    throw new Fault('invalid_query', 'instance must be given with afterSeq.')
  if (instance !== undefined && !(await findInstanceById(c.var.store, instance)))
    throw new Fault('instance_not_found')
  return instance
}

/** Before the response: without an entry in the audit log no texts are shown to an admin. */
async function recordReading(c: Context<EdgeEnv>, instanceId = ''): Promise<void> {
  c.set('audited', { action: 'events.read', written: false })
  await writeWithRetries(c.var.store, buildAuditEntry(c, { target: instanceId }))
}
