// Queries for a replay to a webhook beside the first, and for what became of events at such webhooks.

import { writeInBatches } from '../database/batches.ts'
import { type Store, toRecords } from '../database/open-store.ts'
import type { Selection } from './replay-queries.ts'
import { IS_WANTED_BY_FURTHER } from './wanted-events.ts'

/** Events that one read looks for. */
const PAGE = 1000

interface Condition {
  sql: string
  args: (string | number)[]
}

/** Only the conditions that are requested, so that ids, a state or a range are found by their indexes. */
function buildSelected(webhookId: string, { ids, status, fromSeq, toSeq }: Selection): Condition {
  const parts: Condition[] = [{ sql: 'further_webhooks.id = ?', args: [webhookId] }]
  if (status) parts.push({ sql: 'd.status = ?', args: [status] })
  if (fromSeq !== undefined) parts.push({ sql: 'events.seq >= ?', args: [fromSeq] })
  if (toSeq !== undefined) parts.push({ sql: 'events.seq <= ?', args: [toSeq] })
  const source = ids
    ? 'json_each(?) named cross join events on events.id = named.value cross join further_webhooks'
    : 'further_webhooks cross join events'
  return {
    sql: `from ${source} on further_webhooks.instance_id = events.instance_id
      ${status ? 'join' : 'left join'} further_deliveries d on d.webhook_id = further_webhooks.id and d.event_id = events.id
      where ${parts.map((part) => part.sql).join(' and ')}`,
    args: [...(ids ? [JSON.stringify(ids)] : []), ...parts.flatMap((part) => part.args)],
  }
}

export async function countSelectedFurther(
  store: Store,
  webhookId: string,
  selection: Selection,
): Promise<number> {
  const { sql, args } = buildSelected(webhookId, selection)
  const [found] = await store.readAll({ sql: `select count(*) ${sql}`, args, isLarge: true })
  return Number(found?.rows[0]?.[0] ?? 0)
}

const MAKE_DUE = `insert into further_deliveries (webhook_id, event_id, seq, status, attempts, next_attempt_at)
select further_webhooks.id, events.id, events.seq, 'pending', 0, ?3
from json_each(?2) chosen join events on events.id = chosen.value
join further_webhooks on further_webhooks.id = ?1 and further_webhooks.instance_id = events.instance_id
where ${IS_WANTED_BY_FURTHER}
on conflict (webhook_id, event_id) do update set status = 'pending', attempts = 0,
  next_attempt_at = excluded.next_attempt_at, delivered_at = null, dead_at = null`

/** At most so many, by `seq`. Their schedule begins again. Returns how many are due now. */
export async function makeDueAgainFurther(
  store: Store,
  webhookId: string,
  selection: Selection,
  max: number,
): Promise<number> {
  const { sql, args } = buildSelected(webhookId, selection)
  const query = `select events.id, events.seq ${sql} and events.seq > ? and ${IS_WANTED_BY_FURTHER}
    order by events.seq limit ?`
  let queued = 0
  for (let afterSeq = -1; queued < max; ) {
    const size = Math.min(PAGE, max - queued)
    const [found] = await store.readAll({ sql: query, args: [...args, afterSeq, size], isLarge: true })
    const rows = found?.rows ?? []
    afterSeq = Number(rows.at(-1)?.[1] ?? afterSeq)
    queued += await queueEvents(
      store,
      webhookId,
      rows.map(([id]) => String(id)),
    )
    if (rows.length < size) break
  }
  return queued
}

/** Returns how many of them the webhook still wants. */
async function queueEvents(store: Store, webhookId: string, ids: string[]): Promise<number> {
  const now = Date.now()
  let queued = 0
  await writeInBatches(store, async (max) => {
    const these = JSON.stringify(ids.splice(0, max))
    const [written] = await store.write([{ sql: MAKE_DUE, args: [webhookId, these, now] }])
    queued += written?.rowsAffected ?? 0
    return ids.length > 0 ? max : 0
  })
  return queued
}

export interface FurtherOutcome {
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

const OUTCOMES = `select events.id as eventId, further_webhooks.id as webhookId, coalesce(d.status, 'pending') as status,
  coalesce(d.attempts, 0) as attempts, d.last_status as lastStatus, d.last_error as lastError,
  d.last_attempt_at as lastAttemptAt, d.next_attempt_at as nextAttemptAt, d.delivered_at as deliveredAt, d.dead_at as deadAt
from json_each(?1) named join events on events.id = named.value
join further_webhooks on further_webhooks.instance_id = events.instance_id
left join further_deliveries d on d.webhook_id = further_webhooks.id and d.event_id = events.id
where d.event_id is not null or (events.seq > further_webhooks.cursor and ${IS_WANTED_BY_FURTHER})
order by further_webhooks.created_at`

/** At every webhook beside the first that got these events, or is to get them. */
export async function listFurtherOutcomes(store: Store, eventIds: string[]): Promise<FurtherOutcome[]> {
  const [found] = await store.readAll({ sql: OUTCOMES, args: [JSON.stringify(eventIds)], isLarge: true })
  return (found ? toRecords(found) : []) as unknown as FurtherOutcome[]
}
