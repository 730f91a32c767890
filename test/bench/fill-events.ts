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
  await world.queryDatabase(`update events set at = at - ${age}, created_at = created_at - ${age}`)
  await world.queryDatabase(`update deliveries set last_attempt_at = last_attempt_at - ${age}`)
  await fillWindow(`instances.id in (${linked})`, true)
  await fillWindow(`instances.id not in (${linked})`, false)

  async function fillWindow(whose: string, isDelivered: boolean): Promise<void> {
    const [owners] = await world.queryDatabase(`select count(*) as count from instances where ${whose}`)
    const each = Math.round(count / 2 / Number(owners?.count))
    const bite = Math.max(1, Math.floor(BITE / Number(owners?.count)))
    const now = Date.now()
    for (let first = 1; first <= each; first += bite) {
      const last = Math.min(each, first + bite - 1)
      // First, so that no event waits in between.
      if (isDelivered)
        await world.queryDatabase(`with recursive numbers(n) as (select ${first} union all select n + 1 from numbers where n < ${last})
insert into deliveries (lane, seq, status, attempts, last_attempt_at, last_status)
select webhooks.lane, instances.last_seq + n, 'delivered', 1, ${now - OVER_DAYS * DAY_MS} + n * ${Math.floor((OVER_DAYS * DAY_MS) / each)}, 200
from numbers join instances on ${whose} join webhooks on webhooks.instance_id = instances.id and webhooks.position = 0`)
      await world.queryDatabase(`
with recursive numbers(n) as (select ${first} union all select n + 1 from numbers where n < ${last}),
numbered as (select n, ${now - OVER_DAYS * DAY_MS} + n * ${Math.floor((OVER_DAYS * DAY_MS) / each)} as time from numbers),
sample as (select * from events where wanted limit 1)
insert into events (id, instance_id, seq, type, owner, payload, at, created_at, status, wanted)
select ${UUID}, instances.id, instances.last_seq + numbered.n, sample.type, sample.owner, sample.payload, numbered.time,
  numbered.time, 'delivered', ${isDelivered ? 1 : 0}
from numbered join instances on ${whose} join sample order by numbered.n, instances.id`)
    }
    await world.queryDatabase(`update instances set last_seq = last_seq + ${each} where ${whose}`)
    await world.queryDatabase(`update webhooks set cursor = (select last_seq from instances where instances.id = webhooks.instance_id)
      where instance_id in (select id from instances where ${whose})`)
  }
}
