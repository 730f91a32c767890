// So many events in a gateway's database as if they had come in the last weeks: rows as the product writes them, in bulk.

import type { CostStage } from './cost-stage.ts'

/** Rows of one statement: hosts and callers write meanwhile. On a starved machine a larger one left the lock of its database taken for good. */
const BITE = 1000
const DAY_MS = 86_400_000
/** Less than the retention of events. */
const OVER_DAYS = 20

const UUID = `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-8'
  || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`

/** Half of them belong to the linked instances, which have received theirs, and half to the others, which have no webhook. */
export async function fillEvents({ world, devices }: CostStage, count: number): Promise<void> {
  const linked = devices.map(({ id }) => `'${id}'`).join()
  // What is there already is the oldest, as its numbers say.
  const age = (OVER_DAYS + 1) * DAY_MS
  await world.queryDatabase(`update events set at = at - ${age}, created_at = created_at - ${age},
    last_attempt_at = last_attempt_at - ${age}, delivered_at = delivered_at - ${age}`)
  const attempted = `1, null, numbered.time, numbered.time, sample.last_status`
  await fillWindow(`instances.id in (${linked})`, attempted)
  await fillWindow(`instances.id not in (${linked})`, '0, null, null, null, null')

  async function fillWindow(whose: string, outcome: string): Promise<void> {
    const [owners] = await world.queryDatabase(`select count(*) as count from instances where ${whose}`)
    const each = Math.round(count / 2 / Number(owners?.count))
    const bite = Math.max(1, Math.floor(BITE / Number(owners?.count)))
    const now = Date.now()
    for (let first = 1; first <= each; first += bite) {
      const last = Math.min(each, first + bite - 1)
      await world.queryDatabase(`
with recursive numbers(n) as (select ${first} union all select n + 1 from numbers where n < ${last}),
numbered as (select n, ${now - OVER_DAYS * DAY_MS} + n * ${Math.floor((OVER_DAYS * DAY_MS) / each)} as time from numbers),
sample as (select * from events where status = 'delivered' and attempts = 1 limit 1)
insert into events (id, instance_id, seq, type, owner, payload, at, created_at, status, attempts, next_attempt_at,
  last_attempt_at, delivered_at, last_status)
select ${UUID}, instances.id, instances.last_seq + numbered.n, sample.type, sample.owner, sample.payload, numbered.time,
  numbered.time, 'delivered', ${outcome}
from numbered join instances on ${whose} join sample order by numbered.n, instances.id`)
    }
    await world.queryDatabase(`update instances set last_seq = last_seq + ${each} where ${whose}`)
  }
}
