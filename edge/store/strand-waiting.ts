// What waited for a webhook's previous destination is dead, and what its new choice of events leaves out does not wait any more.

import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import type { WebhookRow } from '../objects/due-events.ts'
import { writeInBatches } from './database/batches.ts'
import type { Store } from './database/open-store.ts'
import { IS_UNTRIED, WAS_WANTED } from './events/lane-sql.ts'
import { IS_WANTED_NOW } from './events/wanted-events.ts'

/** The rows of `webhooks` that a statement applies to. */
export interface Lanes {
  condition: string
  args: (string | number | null)[]
}

/** A webhook, unless it has this URL, this format and these options of it. */
export const selectOtherDestination = (
  lane: number,
  { url, format, formatOptions }: Pick<WebhookRow, 'url' | 'format' | 'formatOptions'>,
): Lanes => ({
  condition:
    'webhooks.lane = ? and (webhooks.url, webhooks.format, webhooks.format_options) is not (?, ?, ?)',
  args: [lane, url, format, formatOptions && JSON.stringify(formatOptions)],
})

/** Up to so many events after the cursor. */
const UP_TO = `(select max(seq) from (select w.seq from events w
  where w.instance_id = webhooks.instance_id and w.seq > webhooks.cursor order by w.seq limit ?))`

/** Marks what waits as dead, and moves the cursors past it. Without a limit, all of it. */
export const strandWaiting = ({ condition, args }: Lanes, now: number, limit = -1): Statement[] => [
  {
    sql: `update deliveries set status = 'dead', dead_at = ?, next_attempt_at = null, last_error = 'destination_changed'
where (lane, seq) in (select d.lane, d.seq from deliveries d
  where d.status = 'pending' and d.lane in (select lane from webhooks where ${condition}) limit ?)`,
    args: [now, ...args, limit],
  },
  {
    sql: `insert into deliveries (lane, seq, status, attempts, dead_at, last_error)
select webhooks.lane, events.seq, 'dead', 0, ?, 'destination_changed'
from webhooks join events on events.instance_id = webhooks.instance_id
where ${condition} and ${IS_UNTRIED} and events.seq <= ${UP_TO}
on conflict (lane, seq) do nothing`,
    args: [now, ...args, limit],
  },
  {
    sql: `update webhooks set cursor = coalesce(${UP_TO}, cursor) where ${condition}`,
    args: [limit, ...args],
  },
]

/** More than these are made dead before the write that changes the URL, which stays short so. */
const MAX_STRANDED = 500

const WAITING = `((select count(*) from (select 1 from deliveries d where d.lane = webhooks.lane and d.status = 'pending' limit ${MAX_STRANDED}))
  + (select count(*) from (select 1 from events e where e.instance_id = webhooks.instance_id and e.seq > webhooks.cursor limit ${MAX_STRANDED})))`

/**
 * Marks most events dead that wait, while the previous URL is still stored. Those that are left, and that come meanwhile, are for
 * `strandWaiting` in the write that changes it.
 */
export async function strandMost(store: Store, { condition, args }: Lanes): Promise<void> {
  const many = `select lane from webhooks where ${condition} and ${WAITING} >= ${MAX_STRANDED}`
  const [found] = await store.readAll({ sql: many, args, isLarge: true })
  for (const [lane] of found?.rows ?? []) {
    const one = { condition: `${condition} and webhooks.lane = ?`, args: [...args, Number(lane)] }
    await writeInBatches(store, async (atMost) => {
      await store.write(strandWaiting(one, Date.now(), atMost))
      const [left] = await store.readAll({ sql: `${many} and webhooks.lane = ?`, args: one.args })
      return left && left.rows.length > 0 ? atMost : 0
    })
  }
}

/** After a change of what they choose: of the events that were never tried, the others do not wait any more. */
export async function dropUnwanted(
  store: Store,
  position: number,
  { condition, args }: Lanes,
): Promise<void> {
  const drop = `update events set wanted = ~(1 << ?) & wanted where rowid in (
    select events.rowid from webhooks cross join events on events.instance_id = webhooks.instance_id
    where webhooks.position = ? and ${condition} and events.seq > webhooks.cursor and ${WAS_WANTED} and not ${IS_WANTED_NOW} limit ?)`
  await writeInBatches(store, async (atMost) => {
    const [dropped] = await store.write([{ sql: drop, args: [position, position, ...args, atMost] }])
    return dropped?.rowsAffected ?? 0
  })
}
