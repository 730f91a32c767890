// Handlers that read the stored events.

import type { Context } from 'hono'
import { suffices } from '../../shared/api/scope.ts'
import { Fault } from '../../shared/faults.ts'
import type { EdgeEnv } from '../context.ts'
import { auditOf } from '../http/audit.ts'
import type { Handlers } from '../http/serve.ts'
import { eventRecord, failureRecord } from '../records/event.ts'
import { persist } from '../store/database/persist.ts'
import { listEvents, listFailures } from '../store/events/events.ts'
import { instanceById } from '../store/instances.ts'
import { needWebhooks } from './webhook.ts'

export const FAILURES_SHOWN = 50

const milliseconds = (instant: string | undefined) => (instant ? Date.parse(instant) : undefined)

export const eventHandlers = {
  async listEvents(c, { query }) {
    const { instance: named, from, to, ...filter } = query
    const isAdmin = c.var.actor.kind !== 'instance'
    const instanceId = isAdmin ? await namedByAdmin(c, query) : namedByInstance(c, named)
    const rows = await listEvents(c.var.store, instanceId, {
      ...filter,
      ...{ from: milliseconds(from), to: milliseconds(to) },
    })
    const withTexts = !isAdmin || suffices(c.var.actor.scope ?? 'read', 'operate')
    if (isAdmin && withTexts && rows.length > 0) await recordReading(c, instanceId)
    const events = await Promise.all(rows.map((row) => eventRecord(c.env, row, withTexts)))
    return { events, ...(query.status && { status: query.status }) }
  },

  async listDeliveryFailures(c) {
    needWebhooks(c)
    const rows = await listFailures(c.var.store, c.var.instance.id, FAILURES_SHOWN)
    return { errors: await Promise.all(rows.map((row) => failureRecord(c.env, row))) }
  },
} satisfies Partial<Handlers>

function namedByInstance(c: Context<EdgeEnv>, named: string | undefined): string {
  const own = c.var.instance.id
  if (named !== undefined && named !== own)
    throw new Fault('invalid_query', 'instance must be that of the token, or left out.')
  return own
}

type Named = Partial<Record<'instance' | 'messageid', string | undefined>> & { afterSeq?: number | undefined }

/** Undefined: a message is searched in all instances. */
async function namedByAdmin(
  c: Context<EdgeEnv>,
  { instance, messageid, afterSeq }: Named,
): Promise<string | undefined> {
  if (instance === undefined && messageid === undefined)
    throw new Fault('invalid_query', 'instance must be given, unless messageid is.')
  // A seq counts the events of one instance.
  if (instance === undefined && afterSeq !== undefined)
    throw new Fault('invalid_query', 'instance must be given with afterSeq.')
  if (instance !== undefined && !(await instanceById(c.var.store, instance)))
    throw new Fault('instance_not_found')
  return instance
}

/** Before the answer: without an entry in the audit log no texts are shown to an admin. */
async function recordReading(c: Context<EdgeEnv>, instanceId = ''): Promise<void> {
  c.set('audited', { action: 'events.read', written: false })
  await persist(c.var.store, auditOf(c, { target: instanceId }))
}
