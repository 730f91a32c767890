// Reads new events that are due, with their destination, in the transaction that stored them, for the couriers.

import { instances, subscriptions } from '@msgnet/shared/db/edge-tables.ts'
import { prepareQuery, type Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { FAILURES_THAT_BLOCK } from '@msgnet/shared/delivery-schedule.ts'
import type { EventReport } from '@msgnet/shared/wire/host-reports.ts'
import { eq, sql } from 'drizzle-orm'
import type { Arrival } from '../../objects/due-events.ts'
import type { Result } from '../../runtime/query-types.ts'
import { readRows, toRecords } from '../database/open-store.ts'
import { isActive } from './delivery-queue.ts'

/** `behind`: the event before this one in the ordered queue. */
const ARRIVED = `
select id, instance_id, seq, attempts, status = 'pending' as pending, coalesce((
    select seq from events before
    where before.instance_id = events.instance_id and before.status = 'pending' and before.seq < events.seq
      and before.attempts < ${FAILURES_THAT_BLOCK}
    order by before.seq desc limit 1
  ), 0) as behind, exists (
    select 1 from further_webhooks f where f.instance_id = events.instance_id and f.enabled and not f.gone
  ) as further
from events
where id in (select value ->> 'id' from json_each(?1))
  and (status = 'pending' or further or instance_id in (select instance_id from listeners where until > ?2))
order by instance_id, seq`

const DESTINATIONS = prepareQuery((db) =>
  db
    .select({ instanceName: instances.name, subscription: subscriptions })
    .from(subscriptions)
    .innerJoin(instances, eq(instances.id, subscriptions.instanceId))
    .where(
      sql`${subscriptions.instanceId} in (select value ->> 'instance' from json_each(${sql.placeholder('events')}))`,
    ),
)

/** `events`: ids and instances of those that were inserted, as JSON. */
export const selectArrivals = (events: string, now: number): [Statement, Statement] => [
  { sql: ARRIVED, args: [events, now] },
  DESTINATIONS.bind({ events }),
]

/** The arrivals that those two statements found for these reports. */
export function buildArrivals(
  [stored, destinations]: (Result | undefined)[],
  reports: EventReport[],
  at: number,
): Arrival[] {
  if (!stored || !destinations || stored.rows.length === 0) return []
  const reportsById = new Map(reports.map((report) => [report.id, report]))
  const targets = new Map(
    readRows(DESTINATIONS, destinations)
      .filter(isActive)
      .map((destined) => [destined.subscription.instanceId, destined]),
  )
  const found = new Map<string, Arrival>()
  for (const row of toRecords(stored)) {
    const instance = String(row.instance_id)
    const arrival = found.get(instance) ?? { instance, hasFurther: Boolean(row.further) }
    found.set(instance, arrival)
    const report = reportsById.get(String(row.id))
    const destined = targets.get(instance)
    if (!report || !destined || !row.pending || row.attempts !== 0) continue
    arrival.batch ??= { target: destined, events: [], behind: Number(row.behind), at }
    arrival.batch.events.push(toDueEvent(report, Number(row.seq), at))
  }
  return [...found.values()]
}

const toDueEvent = (
  { id, instance, type, owner, at, payload, cause }: EventReport,
  seq: number,
  now: number,
) => ({
  id,
  instanceId: instance,
  seq,
  type,
  owner,
  at,
  payload,
  attempts: 0,
  lastAttemptAt: null,
  nextAttemptAt: now,
  requestId: cause?.requestId ?? null,
  traceparent: cause?.traceparent ?? null,
})
