// Reads the events that a write has stored, and the webhooks of their instances, in that same transaction, for the couriers.

import { type BeyondContract, instances, webhooks } from '@msgnet/shared/db/edge-tables.ts'
import { prepareQuery, type Statement } from '@msgnet/shared/db/prepared-queries.ts'
import type { EventReport } from '@msgnet/shared/wire/host-reports.ts'
import { eq, sql } from 'drizzle-orm'
import type { Arrival, LaneTarget, StoredEvent } from '../../objects/due-events.ts'
import type { Result } from '../../runtime/query-types.ts'
import { readRows, toRecords } from '../database/open-store.ts'
import { IS_ACTIVE } from './lane-sql.ts'

/** An event as it is going to be stored. `beyond`: as in the table. */
export interface NewEvent extends Omit<EventReport, 'also'> {
  beyond: BeyondContract | null
}

/** `listened`: it has an open stream. `is_repeated`: an earlier write has stored it. */
const ARRIVED = `
select id, instance_id, seq, wanted, refused is null as whole, created_at <> ?2 as is_repeated,
  exists (select 1 from listeners l where l.instance_id = events.instance_id and l.until > ?2) as listened
from events where id in (select value ->> 'id' from json_each(?1)) order by instance_id, seq`

const WEBHOOKS = prepareQuery((db) =>
  db
    .select({ instanceName: instances.name, handle: instances.handle, webhook: webhooks })
    .from(webhooks)
    .innerJoin(instances, eq(instances.id, webhooks.instanceId))
    .where(
      sql`${webhooks.instanceId} in (select value ->> 'instance' from json_each(${sql.placeholder('events')})) and ${sql.raw(IS_ACTIVE)}`,
    ),
)

/** `events`: ids and instances of those that were inserted, as JSON. */
export const selectArrivals = (events: string, now: number): [Statement, Statement] => [
  { sql: ARRIVED, args: [events, now] },
  WEBHOOKS.bind({ events }),
]

/** The arrivals that those two statements found for these reports. */
export function buildArrivals(
  [stored, destinations]: (Result | undefined)[],
  reports: NewEvent[],
  at: number,
): Arrival[] {
  if (!stored || !destinations || stored.rows.length === 0) return []
  const reportsById = new Map(reports.map((report) => [report.id, report]))
  const active = readRows(WEBHOOKS, destinations)
  const found = new Map<string, Arrival>()
  for (const row of toRecords(stored)) {
    const instance = String(row.instance_id)
    const arrival = found.get(instance) ?? createArrival(instance, active, Boolean(row.listened), at)
    if (!arrival) continue
    found.set(instance, arrival)
    const report = reportsById.get(String(row.id))
    if (!arrival.batch || !report || !row.whole) continue
    // What counts is how it was stored: a link to its file is another one each time.
    if (row.is_repeated) arrival.batch.isWhole = false
    else arrival.batch.events.push(toStoredEvent(report, Number(row.seq), Number(row.wanted)))
  }
  return [...found.values()]
}

/** Undefined if neither a webhook nor a stream can get what was stored. */
function createArrival(
  instance: string,
  active: LaneTarget[],
  isListened: boolean,
  at: number,
): Arrival | undefined {
  const own = active.filter(({ webhook }) => webhook.instanceId === instance)
  const [one] = own
  if (!one) return isListened ? { instance } : undefined
  const rows = own.map(({ webhook }) => webhook)
  const { instanceName, handle } = one
  return { instance, batch: { instanceName, handle, webhooks: rows, events: [], isWhole: true, at } }
}

const toStoredEvent = (
  { id, instance, type, owner, at, payload, beyond, cause }: NewEvent,
  seq: number,
  wanted: number,
): StoredEvent => ({
  id,
  instanceId: instance,
  seq,
  type,
  owner,
  at,
  payload,
  beyond,
  wanted,
  attempts: 0,
  partsDone: 0,
  lastAttemptAt: null,
  nextAttemptAt: null,
  requestId: cause?.requestId ?? null,
  traceparent: cause?.traceparent ?? null,
})
