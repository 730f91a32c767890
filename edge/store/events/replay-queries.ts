// Queries for a replay: it makes events of an instance due again, whatever their state. Their ids and bytes do not change.

import { events } from '@msgnet/shared/db/edge-tables.ts'
import { and, eq, gte, lte, type SQL, sql } from 'drizzle-orm'
import { writeInBatches } from '../database/batches.ts'
import type { Store } from '../database/open-store.ts'
import type { EventRow } from './event-queries.ts'
import { isWantedByFirst } from './wanted-events.ts'

export interface Selection {
  ids?: string[] | undefined
  status?: EventRow['status'] | undefined
  fromSeq?: number | undefined
  toSeq?: number | undefined
}

/** Events that one read looks for. */
const PAGE = 1000

const buildSelection = (instanceId: string, { ids, status, fromSeq, toSeq }: Selection): SQL | undefined =>
  and(
    eq(events.instanceId, instanceId),
    ids && sql`${events.id} in (select value from json_each(${JSON.stringify(ids)}))`,
    status && eq(events.status, status),
    fromSeq === undefined ? undefined : gte(events.seq, fromSeq),
    toSeq === undefined ? undefined : lte(events.seq, toSeq),
  )

/** SQL that checks whether the present subscription receives an event, by the same rules as at ingestion. */
const isReceived = sql`exists (
  select 1 from subscriptions s where s.instance_id = ${events.instanceId} and s.mode <> 'off' and ${isWantedByFirst})`

export async function countSelected(store: Store, instanceId: string, selection: Selection): Promise<number> {
  const where = buildSelection(instanceId, selection)
  const [row] = await store.large.select({ n: sql<number>`count(*)` }).from(events).where(where)
  return row?.n ?? 0
}

/** At most so many, by `seq`. Their schedule begins again. Returns how many are due now. */
export async function makeDueAgain(
  store: Store,
  instanceId: string,
  selection: Selection,
  max: number,
): Promise<number> {
  let queued = 0
  for (let afterSeq = -1; queued < max; ) {
    const some = and(buildSelection(instanceId, selection), isReceived, sql`${events.seq} > ${afterSeq}`)
    const size = Math.min(PAGE, max - queued)
    const found = await store.large
      .select({ id: events.id, seq: events.seq })
      .from(events)
      .where(some)
      .orderBy(events.seq)
      .limit(size)
    afterSeq = found.at(-1)?.seq ?? afterSeq
    queued += await queueEvents(
      store,
      found.map(({ id }) => id),
    )
    if (found.length < size) break
  }
  return queued
}

/** Returns how many of them the subscription still receives. */
async function queueEvents(store: Store, ids: string[]): Promise<number> {
  const due = { status: 'pending', attempts: 0, nextAttemptAt: Date.now(), deliveredAt: null, deadAt: null }
  let queued = 0
  await writeInBatches(store, async (max) => {
    const these = JSON.stringify(ids.splice(0, max))
    const { rowsAffected } = await store.db
      .update(events)
      .set(due as Partial<EventRow>)
      .where(and(sql`${events.id} in (select value from json_each(${these}))`, isReceived))
    queued += rowsAffected
    return ids.length > 0 ? max : 0
  })
  return queued
}
