// Handlers that read the stored events.

import { formatDateTime } from '@msgnet/shared/date-time.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Context } from 'hono'
import { formatEnvelope, hideCredentials } from '../dialect/envelope.ts'
import { hasScope } from '../http/auth.ts'
import { buildAuditEntry, skipAudit } from '../http/record-audit.ts'
import type { Handlers } from '../http/serve-route.ts'
import { isUuid } from '../http/uuid.ts'
import { toAttemptRecords, toEventRecord, toFailureRecord } from '../records/event-record.ts'
import { type EdgeEnv, findCredential } from '../request/request-context.ts'
import { writeWithRetries } from '../store/database/write-with-retries.ts'
import { listEarlierAttempts } from '../store/events/attempt-queries.ts'
import { type EventRow, findEvent, listEvents } from '../store/events/event-queries.ts'
import { listFirstFailures, listOutcomes } from '../store/events/outcome-queries.ts'
import { isForChats } from '../store/events/wanted-events.ts'
import { findInstanceById } from '../store/instance-queries.ts'
import { requireWebhooks } from './webhook-routes.ts'

export const MAX_FAILURES = 50

const toMilliseconds = (instant: string | undefined) => (instant ? Date.parse(instant) : undefined)

export const eventHandlers = {
  async listEvents(c, { query }) {
    const { instance: named, from, to, payload, unaddressed, ...filter } = query
    // An admin that acts for an instance has one already.
    const isAdmin = c.get('instance') === undefined
    const instanceId = isAdmin ? await requireNamedInstance(c, query) : requireOwnInstance(c, named)
    const withTexts = payload !== 'false' && hasScope(c.var.actor, 'operate')
    const chats = c.var.actor.grant?.chats ?? undefined
    const { rows, hasMore } = await listEvents(c.var.store, instanceId, {
      ...filter,
      chats,
      withoutTexts: !withTexts,
      from: toMilliseconds(from),
      to: toMilliseconds(to),
      unaddressed: unaddressed && unaddressed === 'true',
    })
    if (!withTexts || rows.length === 0) skipAudit(c)
    else if (c.var.actor.kind !== 'instance') await recordReading(c, instanceId)
    const outcomes = await listOutcomes(
      c.var.store,
      rows.map(({ id }) => id),
    )
    const events = await Promise.all(rows.map((row) => toEventRecord(c.env, row, outcomes, withTexts)))
    return { events, hasMore, ...(query.status && { status: query.status }) }
  },

  async getEvent(c, { query }) {
    const id = c.req.param('id') ?? ''
    if (!isUuid(id)) throw new Fault('invalid_id', 'id must be a UUID.')
    const { store } = c.var
    const found = await findEvent(store, id.toLowerCase(), c.get('instance')?.id)
    const { chats } = c.var.actor.grant ?? {}
    if (!found || (chats && !isForChats(chats, found.event.type, found.event.payload)))
      throw new Fault('event_not_found')
    const { event, instanceName } = found
    const withTexts = query.payload !== 'false' && hasScope(c.var.actor, 'operate')
    if (!withTexts) skipAudit(c)
    else if (c.var.actor.kind !== 'instance') await recordReading(c, event.instanceId)
    const earlier = await listEarlierAttempts(store, event)
    const record = await toEventRecord(c.env, event, await listOutcomes(store, [event.id]), withTexts)
    return {
      event: record,
      envelope: withTexts ? await readEnvelope(c, event, instanceName) : {},
      attempts: await toAttemptRecords(c.env, event, earlier, withTexts),
      nextAttemptAt: event.nextAttemptAt ? formatDateTime(event.nextAttemptAt) : null,
      unaddressed: record.unaddressed,
    }
  },

  async listDeliveryFailures(c) {
    requireWebhooks(c)
    const rows = await listFirstFailures(c.var.store, c.var.instance.id, MAX_FAILURES)
    return { errors: await Promise.all(rows.map((row) => toFailureRecord(c.env, row))) }
  },
} satisfies Partial<Handlers>

function requireOwnInstance(c: Context<EdgeEnv>, named: string | undefined): string {
  const own = c.var.instance.id
  if (named !== undefined && named !== own)
    throw new Fault('invalid_query', 'instance must be that of the token, or left out.')
  return own
}

/** As a receiver gets it, without what is for the instance's own token only. */
async function readEnvelope(
  c: Context<EdgeEnv>,
  event: EventRow,
  instanceName: string,
): Promise<Record<string, unknown>> {
  const { store } = c.var
  const target = { store, instanceName, handle: null, receiver: {} }
  const [part] = await c.env.dialect.format.toParts(event, target)
  const body = await part?.createBody()
  const bytes = body && typeof body !== 'string' ? body : formatEnvelope(event, instanceName)
  const envelope = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>
  if (findCredential(c.var.actor) !== 'instance') return hideCredentials(envelope)
  // Of some forms it has the token of the instance.
  if (envelope.token) c.header('cache-control', 'no-store')
  return envelope
}

type Named = Partial<Record<'instance', string | undefined>> &
  Partial<Record<'afterSeq' | 'beforeSeq', number | undefined>>

/** Undefined: a message is searched in all instances. */
async function requireNamedInstance(
  c: Context<EdgeEnv>,
  { instance, afterSeq, beforeSeq }: Named,
): Promise<string | undefined> {
  // A seq counts the events of one instance.
  if (instance === undefined && (afterSeq ?? beforeSeq) !== undefined)
    throw new Fault('invalid_query', 'instance must be given with afterSeq and beforeSeq.')
  if (instance !== undefined && !(await findInstanceById(c.var.store, instance)))
    throw new Fault('instance_not_found')
  return instance
}

/** Before the response: without an entry in the audit log no texts are shown to an admin. */
async function recordReading(c: Context<EdgeEnv>, instanceId = ''): Promise<void> {
  c.set('audited', { action: 'events.read', written: false })
  await writeWithRetries(c.var.store, buildAuditEntry(c, { target: instanceId }))
}
