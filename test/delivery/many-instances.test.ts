// Two thousand instances that waited out the same outage: each is woken, and other instances are not delayed.
// @module-tag slow

import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevice, subscribeReceiver } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { type Correspondent, createCorrespondent, listTexts } from './gateway.ts'

const INSTANCES = 2000
const EACH = 2

let world: World
let everybodys: Receiver
let calm: Receiver
let other: Correspondent

beforeAll(async () => {
  ;[everybodys, calm] = await Promise.all([startReceiver(), startReceiver()])
  world = await startWorld({ WEBHOOK_ALLOWLIST: `${everybodys.place},${calm.place}`, LOG_LEVEL: 'warn' })
  other = await createCorrespondent(world)
  await subscribeReceiver(other, calm, ['messages'])
})

afterAll(async () => {
  await world.close()
  await Promise.all([everybodys.close(), calm.close()])
})

const countUpTo = (name: string, upTo: number) =>
  `with recursive ${name}(n) as (select 1 union all select n + 1 from ${name} where n < ${upTo})`

/** Copies of the device, past the API: making so many there is not what is tested. */
async function insertCrowd(id: string): Promise<void> {
  const columns = String(
    (await world.queryDatabase(`select group_concat(name) as names from pragma_table_info('instances')`))[0]
      ?.names,
  )
  const own: Record<string, string> = {
    id: `printf('00000000-0000-4000-8000-%012d', n)`,
    token_hash: 'hex(randomblob(32))',
    last_seq: String(EACH),
  }
  const values = columns.split(',').map((column) => own[column] ?? column)
  await world.queryDatabase(`${countUpTo('crowd', INSTANCES)} insert into instances (${columns})
    select ${values} from crowd join instances on instances.id = '${id}'`)
}

test('when the global webhook is resumed, waiting events go out in order while other instances are served', async () => {
  const { id } = await createDevice(world, 'one of many')
  await insertCrowd(id)
  const paused = { url: everybodys.url, events: 'groups', enabled: false }
  await world.admin.post('/v1/webhook', paused)
  await world.queryDatabase(`${countUpTo('each', EACH)}
    insert into events (id, instance_id, seq, type, owner, payload, at, created_at, status, wanted)
    select substr(instances.id, 1, 9) || printf('%04d', n) || substr(instances.id, 14), instances.id, n,
      'groups', '', '{}', created_at, created_at, 'delivered', 1
    from each join instances on instances.id like '00000000-0000-4000-8000-%'`)
  await world.queryDatabase(
    `update webhooks set cursor = 0 where instance_id like '00000000-0000-4000-8000-%'`,
  )

  expect((await world.admin.post('/v1/webhook', { ...paused, enabled: true })).status).toBe(200)
  await other.receiveText('not held up', 20)
  await until(() => listTexts(calm).length === 20)
  expect(everybodys.deliveries.length).toBeLessThan(INSTANCES * EACH)
  await until(() => everybodys.deliveries.length === INSTANCES * EACH, { within: 50_000 })

  const seqs = Map.groupBy(everybodys.deliveries, ({ envelope }) => envelope.instanceId)
  expect(seqs.size).toBe(INSTANCES)
  for (const deliveries of seqs.values())
    expect(deliveries.map(({ envelope }) => envelope.seq)).toEqual([1, 2])
})
