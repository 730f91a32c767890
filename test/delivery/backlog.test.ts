// Fifty thousand events of one instance that waited out an outage: other instances are not delayed, and the events arrive in order.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { SECRET, subscribeReceiver } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { until } from '../until.ts'
import { type Correspondent, createCorrespondent, listTexts } from './gateway.ts'

const QUEUED = 50_000

let world: BorrowedWorld
let busy: Receiver
let calm: Receiver
let late: Correspondent
let other: Correspondent

beforeAll(async () => {
  ;[busy, calm] = await Promise.all([startReceiver(), startReceiver()])
  world = await borrowWorld()
  ;[late, other] = await Promise.all([createCorrespondent(world), createCorrespondent(world)])
  await subscribeReceiver(other, calm, ['messages'])
})

afterAll(async () => {
  await world.close()
  await Promise.all([busy.close(), calm.close()])
})

const countPending = async ({ caller }: Correspondent) =>
  (await caller.get('/webhook')).body.deliveryStatus.pending

test('events of other instances arrive during a backlog, and the backlog arrives in order and once', async () => {
  const paused = { url: busy.url, events: 'groups', secret: SECRET, enabled: false }
  await late.caller.post('/webhook', paused)
  await world.queryDatabase(`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${QUEUED})
    insert into events (id, instance_id, seq, type, owner, payload, at, created_at, status, wanted)
    select printf('00000000-0000-4000-8000-%012d', i), '${late.id}', last_seq + i, 'groups', '', '{}',
      created_at, created_at, 'delivered', 1
    from n join instances on instances.id = '${late.id}'`)
  await world.queryDatabase(`update instances set last_seq = last_seq + ${QUEUED} where id = '${late.id}'`)
  expect(await countPending(late)).toBe(QUEUED)

  await late.caller.post('/webhook', { ...paused, enabled: true })
  await until(() => busy.deliveries.length > 0)
  await other.receiveText('not held up', 20)
  await until(() => listTexts(calm).length === 20)
  expect(busy.deliveries.length).toBeLessThan(QUEUED)
  await until(() => busy.deliveries.length > 1000, { within: 30_000 })

  // Paused again in the middle: it stops at once, and what is left waits.
  await late.caller.post('/webhook', paused)
  const left = await until(async () => {
    const pending = await countPending(late)
    return pending + busy.deliveries.length === QUEUED && pending
  })
  expect(left).toBeGreaterThan(0)
  const seqs = busy.deliveries.map(({ envelope }) => envelope.seq)
  expect(seqs).toEqual(seqs.map((_, index) => (seqs[0] ?? 0) + index))
})
