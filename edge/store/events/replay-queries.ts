// Queries for a replay: it makes events due again at one webhook, whatever became of them. Their ids and bytes do not change.

import { writeInBatches } from '../database/batches.ts'
import type { Store } from '../database/open-store.ts'
import type { EventStatus } from './event-queries.ts'
import { IS_UNTRIED_JOINED, JOIN_DELIVERY } from './lane-sql.ts'
import { IS_WANTED_NOW } from './wanted-events.ts'

export interface Selection {
  ids?: string[] | undefined
  status?: EventStatus | undefined
  fromSeq?: number | undefined
  toSeq?: number | undefined
}

/** Events that one read looks for. */
const PAGE = 1000

interface Condition {
  sql: string
  args: (string | number)[]
}

/** At the first webhook every event has a status, which is the event's own; at another only those that it got, or is to get. */
const STATUS_THERE = `coalesce(deliveries.status, iif(${IS_UNTRIED_JOINED}, 'pending',
  iif(webhooks.position = 0, iif(events.refused is null, 'delivered', 'dead'), null)))`

/** Events of this status are among these. There is no such list for those that were delivered: nearly all were. */
const AMONG_DEAD = `events.seq in (select d.seq from deliveries d where d.lane = ? and d.status = 'dead'
  union all select e.seq from events e where e.instance_id = (select instance_id from webhooks where lane = ?) and e.refused is not null)`

/** Only the conditions that are requested, so that ids, a state or a range are found by their indexes. */
function buildSelected(lane: number, { ids, status, fromSeq, toSeq }: Selection): Condition {
  const parts: Condition[] = [{ sql: 'webhooks.lane = ?', args: [lane] }]
  if (status) parts.push({ sql: `${STATUS_THERE} = ?`, args: [status] })
  if (status === 'dead') parts.push({ sql: AMONG_DEAD, args: [lane, lane] })
  if (fromSeq !== undefined) parts.push({ sql: 'events.seq >= ?', args: [fromSeq] })
  if (toSeq !== undefined) parts.push({ sql: 'events.seq <= ?', args: [toSeq] })
  const source = ids
    ? 'json_each(?) named cross join events on events.id = named.value cross join webhooks'
    : 'webhooks cross join events'
  return {
    sql: `from ${source} on webhooks.instance_id = events.instance_id
      ${JOIN_DELIVERY} where ${parts.map((part) => part.sql).join(' and ')}`,
    args: [...(ids ? [JSON.stringify(ids)] : []), ...parts.flatMap((part) => part.args)],
  }
}

export async function countSelected(store: Store, lane: number, selection: Selection): Promise<number> {
  const { sql, args } = buildSelected(lane, selection)
  const [found] = await store.readAll({ sql: `select count(*) ${sql}`, args, isLarge: true })
  return Number(found?.rows[0]?.[0] ?? 0)
}

const MAKE_DUE = `insert into deliveries (lane, seq, status, attempts, next_attempt_at)
select webhooks.lane, events.seq, 'pending', 0, ?3
from json_each(?2) chosen cross join webhooks cross join events
on events.instance_id = webhooks.instance_id and events.seq = chosen.value
where webhooks.lane = ?1 and webhooks.mode in ('own', 'inherited') and ${IS_WANTED_NOW}
on conflict (lane, seq) do update set status = 'pending', attempts = 0, parts_done = 0, next_attempt_at = excluded.next_attempt_at, dead_at = null`

/** At most so many, by `seq`. Their schedule begins again. Returns how many are due now. */
export async function makeDueAgain(
  store: Store,
  lane: number,
  selection: Selection,
  max: number,
): Promise<number> {
  const { sql, args } = buildSelected(lane, selection)
  const query = `select events.seq ${sql} and webhooks.mode in ('own', 'inherited') and events.seq > ? and ${IS_WANTED_NOW}
    order by events.seq limit ?`
  let queued = 0
  for (let afterSeq = -1; queued < max; ) {
    const size = Math.min(PAGE, max - queued)
    const [found] = await store.readAll({ sql: query, args: [...args, afterSeq, size], isLarge: true })
    const seqs = (found?.rows ?? []).map(([seq]) => Number(seq))
    afterSeq = seqs.at(-1) ?? afterSeq
    const fewer = seqs.length < size
    queued += await queueEvents(store, lane, seqs)
    if (fewer) break
  }
  return queued
}

/** Returns how many of them the webhook still wants. */
async function queueEvents(store: Store, lane: number, seqs: number[]): Promise<number> {
  const now = Date.now()
  let queued = 0
  await writeInBatches(store, async (max) => {
    const these = JSON.stringify(seqs.splice(0, max))
    const [written] = await store.write([{ sql: MAKE_DUE, args: [lane, these, now] }])
    queued += written?.rowsAffected ?? 0
    return seqs.length > 0 ? max : 0
  })
  return queued
}
