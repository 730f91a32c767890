// Reads new events that are due, with their destination, in the transaction that stored them, for the couriers.

import { eq, sql } from 'drizzle-orm'
import { instances, subscriptions } from '../../../shared/db/edge-tables.ts'
import { prepare, type Statement } from '../../../shared/db/statements.ts'
import { FAILURES_THAT_BLOCK } from '../../../shared/delivery-schedule.ts'
import type { EventReport } from '../../../shared/wire/reports.ts'
import { byName, rowsOf } from '../database/database.ts'
import type { Result } from '../database/statements.ts'
import { isActive } from './deliveries.ts'
import type { Arrival } from './due.ts'

/** `behind`: the event before this one in the ordered queue. */
const KEPT = `
select id, instance_id, seq, attempts, status = 'pending' as pending, coalesce((
    select seq from events before
    where before.instance_id = events.instance_id and before.status = 'pending' and before.seq < events.seq
      and before.attempts < ${FAILURES_THAT_BLOCK}
    order by before.seq desc limit 1
  ), 0) as behind
from events
where id in (select value ->> 'id' from json_each(?1))
  and (status = 'pending' or instance_id in (select instance_id from listeners where until > ?2))
order by instance_id, seq`

const DESTINATIONS = prepare((db) =>
  db
    .select({ instanceName: instances.name, subscription: subscriptions })
    .from(subscriptions)
    .innerJoin(instances, eq(instances.id, subscriptions.instanceId))
    .where(
      sql`${subscriptions.instanceId} in (select value ->> 'instance' from json_each(${sql.placeholder('events')}))`,
    ),
)

/** `events`: ids and instances of those that were inserted, as JSON. */
export const readArrivals = (events: string, now: number): [Statement, Statement] => [
  { sql: KEPT, args: [events, now] },
  DESTINATIONS.statement({ events }),
]

/** The arrivals that those two statements found for these reports. */
export function arrivalsOf(
  [kept, destinations]: (Result | undefined)[],
  reports: EventReport[],
  at: number,
): Arrival[] {
  if (!kept || !destinations || kept.rows.length === 0) return []
  const reportOf = new Map(reports.map((report) => [report.id, report]))
  const destinedOf = new Map(
    rowsOf(DESTINATIONS, destinations)
      .filter(isActive)
      .map((destined) => [destined.subscription.instanceId, destined]),
  )
  const found = new Map<string, Arrival>()
  for (const row of byName(kept)) {
    const instance = String(row.instance_id)
    const arrival = found.get(instance) ?? { instance }
    found.set(instance, arrival)
    const report = reportOf.get(String(row.id))
    const destined = destinedOf.get(instance)
    if (!report || !destined || !row.pending || row.attempts !== 0) continue
    arrival.handed ??= { destined, events: [], behind: Number(row.behind), at }
    arrival.handed.events.push(dueEvent(report, Number(row.seq), at))
  }
  return [...found.values()]
}

const dueEvent = (
  { id, instance, type, owner, at, payload, cause }: EventReport,
  seq: number,
  now: number,
) => ({
  ...{ id, instanceId: instance, seq, type, owner, at, payload },
  ...{ attempts: 0, nextAttemptAt: now },
  ...{ requestId: cause?.requestId ?? null, traceparent: cause?.traceparent ?? null },
})
