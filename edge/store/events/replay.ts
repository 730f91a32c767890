// Queries for a replay: it makes events of an instance due again, whatever their state. Their ids and bytes do not change.

import { and, eq, gte, lte, type SQL, sql } from 'drizzle-orm'
import { events } from '../../../shared/db/edge-tables.ts'
import type { Store } from '../database/database.ts'
import type { EventRow } from './events.ts'

export interface Selection {
  ids?: string[] | undefined
  status?: EventRow['status'] | undefined
  fromSeq?: number | undefined
  toSeq?: number | undefined
}

/** Rows of one write. The database takes one writer at a time, so a write must be short. */
const ROWS_A_WRITE = 1000

const selected = (instanceId: string, { ids, status, fromSeq, toSeq }: Selection): SQL | undefined =>
  and(
    eq(events.instanceId, instanceId),
    ids && sql`${events.id} in (select value from json_each(${JSON.stringify(ids)}))`,
    status && eq(events.status, status),
    fromSeq === undefined ? undefined : gte(events.seq, fromSeq),
    toSeq === undefined ? undefined : lte(events.seq, toSeq),
  )

/** SQL that checks whether the present subscription receives an event, by the same rules as at ingestion. */
const wanted = sql`exists (
  select 1 from subscriptions s where s.instance_id = ${events.instanceId} and s.mode <> 'off'
    and exists (select 1 from json_each(s.events) e where e.value = ${events.type})
    and not (${events.type} = 'messages' and exists (select 1 from json_each(s.exclude_messages) x where x.value in (
      iif(${events.payload} ->> '$.message.wasSentByApi', 'wasSentByApi', 'wasNotSentByApi'),
      iif(${events.payload} ->> '$.message.fromMe', 'fromMeYes', 'fromMeNo'),
      iif(${events.payload} ->> '$.message.isGroup', 'isGroupYes', 'isGroupNo')))))`

export async function countSelected(store: Store, instanceId: string, selection: Selection): Promise<number> {
  const where = selected(instanceId, selection)
  const [row] = await store.db.select({ n: sql<number>`count(*)` }).from(events).where(where)
  return row?.n ?? 0
}

/** At most so many, by `seq`. Their schedule begins again. Returns how many are due now. */
export async function makeDueAgain(
  store: Store,
  instanceId: string,
  selection: Selection,
  atMost: number,
): Promise<number> {
  const due = { status: 'pending', attempts: 0, nextAttemptAt: Date.now(), deliveredAt: null, deadAt: null }
  let queued = 0
  for (let after = -1; queued < atMost; ) {
    const rowsNow = Math.min(ROWS_A_WRITE, atMost - queued)
    const some = sql`${events.id} in (select id from ${events}
      where ${and(selected(instanceId, selection), wanted, sql`${events.seq} > ${after}`)}
      order by ${events.seq} limit ${rowsNow})`
    const rows = await store.db
      .update(events)
      .set(due as Partial<EventRow>)
      .where(some)
      .returning({ seq: events.seq })
    queued += rows.length
    if (rows.length < rowsNow) break
    after = Math.max(...rows.map(({ seq }) => seq))
  }
  return queued
}
