// Queries for a replay to a webhook beside the first, and for what became of events at such webhooks.

import { type Store, toRecords } from '../database/open-store.ts'
import type { Selection } from './replay-queries.ts'
import { IS_WANTED_BY_FURTHER } from './wanted-events.ts'

/** Events of one write. */
const PAGE = 500

/** `?1`: the webhook, `?2`: ids as JSON or null, `?3`: status, `?4` and `?5`: the range. */
const SELECTED = `from further_webhooks join events on events.instance_id = further_webhooks.instance_id
  left join further_deliveries d on d.webhook_id = further_webhooks.id and d.event_id = events.id
where further_webhooks.id = ?1
  and (?2 is null or events.id in (select value from json_each(?2)))
  and (?3 is null or d.status = ?3)
  and events.seq between coalesce(?4, 0) and coalesce(?5, 9007199254740991)`

const toArgs = (webhookId: string, { ids, status, fromSeq, toSeq }: Selection) => [
  webhookId,
  ids ? JSON.stringify(ids) : null,
  status ?? null,
  fromSeq ?? null,
  toSeq ?? null,
]

export async function countSelectedFurther(
  store: Store,
  webhookId: string,
  selection: Selection,
): Promise<number> {
  const query = {
    sql: `select count(*) ${SELECTED}`,
    args: toArgs(webhookId, selection),
    isLarge: true,
  } as const
  const [found] = await store.readAll(query)
  return Number(found?.rows[0]?.[0] ?? 0)
}

const MAKE_DUE = `insert into further_deliveries (webhook_id, event_id, seq, status, attempts, next_attempt_at)
select ?1, events.id, events.seq, 'pending', 0, ?6 ${SELECTED} and events.seq > ?7 and ${IS_WANTED_BY_FURTHER}
order by events.seq limit ?8
on conflict (webhook_id, event_id) do update set status = 'pending', attempts = 0, next_attempt_at = excluded.next_attempt_at,
  delivered_at = null, dead_at = null
returning seq`

/** At most so many, by `seq`. Their schedule begins again. Returns how many are due now. */
export async function makeDueAgainFurther(
  store: Store,
  webhookId: string,
  selection: Selection,
  max: number,
): Promise<number> {
  const args = [...toArgs(webhookId, selection), Date.now()]
  let queued = 0
  for (let afterSeq = -1; queued < max; ) {
    const size = Math.min(PAGE, max - queued)
    const [written] = await store.write([{ sql: MAKE_DUE, args: [...args, afterSeq, size] }])
    const found = (written?.rows ?? []).map(([seq]) => Number(seq))
    queued += found.length
    afterSeq = Math.max(afterSeq, ...found)
    if (found.length < size) break
  }
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
