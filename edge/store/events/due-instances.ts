// What the tick asks about deliveries: which instances have something due, and which cursors can pass over what no webhook waits for.

import { type Store, toRecords } from '../database/open-store.ts'
import { moveCursor, WINDOW } from './lane-queue.ts'
import { buildBlocks, IS_ACTIVE, IS_BLOCKED, IS_UNTRIED } from './lane-sql.ts'

const DUE = `
select distinct webhooks.instance_id as id from webhooks join instances i on i.id = webhooks.instance_id
where webhooks.instance_id > ?1 and ${IS_ACTIVE} and (
  exists (select 1 from deliveries d where d.lane = webhooks.lane and d.status = 'pending' and d.next_attempt_at <= ?2)
  or (i.last_seq > webhooks.cursor and not ${IS_BLOCKED} and exists (select 1 from events indexed by events_in_log
    where events.instance_id = webhooks.instance_id and events.seq > webhooks.cursor and ${IS_UNTRIED})))
order by 1 limit ?3`

/** Instances with events that are due by then at a webhook, in the order of their ids. */
export async function listInstancesDue(
  store: Store,
  by: number,
  afterId: string,
  limit: number,
): Promise<string[]> {
  const [found] = await store.readAll({ sql: DUE, args: [afterId, by, limit], isLarge: true })
  return (found?.rows ?? []).map(([instance]) => String(instance))
}

/** Webhooks that one tick looks after. */
const MAX_MOVED = 1000
/** So many events after the cursor are passed over by each read. */
const FEW = 100

const WAITS = `(${IS_UNTRIED} or exists (
  select 1 from deliveries d where d.lane = webhooks.lane and d.seq = events.seq and ${buildBlocks('d')}))`

const PASSABLE = `select lane, url, passed from (
  select webhooks.lane, webhooks.url, webhooks.cursor, coalesce(
    (select events.seq - 1 from events indexed by events_in_log where events.instance_id = webhooks.instance_id
      and events.seq > webhooks.cursor and events.seq <= webhooks.last and ${WAITS} order by events.seq limit 1),
    webhooks.last) as passed
  from (select webhooks.*, (select max(seq) from (select w.seq from events w where w.instance_id = webhooks.instance_id
      and w.seq > webhooks.cursor order by w.seq limit ${WINDOW})) as last
    from webhooks join instances on instances.id = webhooks.instance_id
    where webhooks.mode in ('own', 'inherited') and webhooks.cursor < instances.last_seq - ?1) as webhooks)
where passed > cursor limit ${MAX_MOVED}`

/**
 * A lane moves its cursor when it delivers, and seldom over what its webhook does not want; one that rests never. So the tick does, and what
 * waits begins at the cursor and is found without a search.
 */
export async function passOverUnwanted(store: Store): Promise<void> {
  const [found] = await store.readAll({ sql: PASSABLE, args: [FEW], isLarge: true })
  const moves = (found ? toRecords(found) : []).map(({ lane, url, passed }) =>
    moveCursor(Number(lane), String(url), Number(passed)),
  )
  if (moves.length > 0) await store.write(moves)
}
