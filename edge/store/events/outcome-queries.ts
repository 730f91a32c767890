// Queries for what became of events at the webhooks of their instance.

import { deliveries, events, webhooks } from '@msgnet/shared/db/edge-tables.ts'
import { and, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import { type Store, toRecords } from '../database/open-store.ts'
import type { FailedRow } from './event-queries.ts'
import { IS_UNTRIED_JOINED, JOIN_DELIVERY } from './lane-sql.ts'

export interface Outcome {
  eventId: string
  webhookId: string
  status: 'pending' | 'delivered' | 'dead'
  attempts: number
  lastStatus: number | null
  lastError: string | null
  lastAttemptAt: number | null
  nextAttemptAt: number | null
  deliveredAt: number | null
  deadAt: number | null
}

const OUTCOMES = `select events.id as eventId, webhooks.id as webhookId, coalesce(deliveries.status, 'pending') as status,
  coalesce(deliveries.attempts, 0) as attempts, deliveries.last_status as lastStatus, deliveries.last_error as lastError,
  deliveries.last_attempt_at as lastAttemptAt, iif(deliveries.lane is null, events.created_at, deliveries.next_attempt_at) as nextAttemptAt,
  iif(deliveries.status = 'delivered', deliveries.last_attempt_at, null) as deliveredAt, deliveries.dead_at as deadAt
from json_each(?1) named join events on events.id = named.value
join webhooks on webhooks.instance_id = events.instance_id
${JOIN_DELIVERY}
where deliveries.lane is not null or ${IS_UNTRIED_JOINED}
order by webhooks.position > 0, webhooks.created_at`

/** At every webhook that got these events, or is to get them; the first webhook comes first. */
export async function listOutcomes(store: Store, eventIds: string[]): Promise<Outcome[]> {
  if (eventIds.length === 0) return []
  const [found] = await store.readAll({ sql: OUTCOMES, args: [JSON.stringify(eventIds)], isLarge: true })
  return (found ? toRecords(found) : []) as unknown as Outcome[]
}

const { payload, beyond, ...columns } = getTableColumns(events)
const { lane, seq, partsDone, ...outcome } = getTableColumns(deliveries)
const failed = {
  ...columns,
  ...outcome,
  deliveredAt: sql<number | null>`iif(${deliveries.status} = 'delivered', ${deliveries.lastAttemptAt}, null)`,
}

/** Events whose last attempt at the webhook failed, newest first. */
export const listFailures = (
  store: Store,
  { lane: number }: { lane: number },
  limit: number,
): Promise<FailedRow[]> => listNamedFailures(store, eq(webhooks.lane, number), limit)

/** The same at the first webhook, with the events that could not be stored whole: they failed before any webhook. */
export async function listFirstFailures(
  store: Store,
  instanceId: string,
  limit: number,
): Promise<FailedRow[]> {
  const isFirst = and(eq(webhooks.instanceId, instanceId), eq(webhooks.position, 0))
  const [failures, broken] = await Promise.all([
    listNamedFailures(store, isFirst, limit),
    listNotWhole(store, instanceId, limit),
  ])
  return [...failures, ...broken].sort((one, other) => other.seq - one.seq).slice(0, limit)
}

const listNamedFailures = (store: Store, isNamed: SQL | undefined, limit: number): Promise<FailedRow[]> =>
  store.db
    .select(failed)
    .from(deliveries)
    .innerJoin(webhooks, eq(webhooks.lane, deliveries.lane))
    .innerJoin(events, and(eq(events.instanceId, webhooks.instanceId), eq(events.seq, deliveries.seq)))
    .where(and(isNamed, sql`${deliveries.lastError} is not null`))
    .orderBy(desc(deliveries.seq))
    .limit(limit)

async function listNotWhole(store: Store, instanceId: string, limit: number): Promise<FailedRow[]> {
  const broken = await store.db
    .select(columns)
    .from(events)
    .where(and(eq(events.instanceId, instanceId), sql`${events.refused} is not null`))
    .orderBy(desc(events.seq))
    .limit(limit)
  return broken.map((row) => ({ ...row, ...notWhole, deadAt: row.createdAt, lastError: row.refused }))
}

const notWhole = {
  status: 'dead',
  attempts: 0,
  lastAttemptAt: null,
  lastDuration: null,
  lastStatus: null,
  nextAttemptAt: null,
  deliveredAt: null,
  lastResponse: null,
} as const
