// What an edge that was killed takes up again at its start, before the first minute is over: leases, deliveries, and acts on their way.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyMessage } from '../../shared/contract/message.ts'
import { type Device, makeDevice, subscribe } from '../device.ts'
import { connectedState, type HostStandIn, registerStandIn } from '../hosts/host-stand-in.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'

const NUMBER = '5511600001000'

let world: World
let receiver: Receiver
const hosts: HostStandIn[] = []

beforeAll(async () => {
  receiver = await startReceiver()
  world = await startWorld({ LEASE_MS: '9000', WEBHOOK_ALLOWLIST: receiver.place })
  const [own] = (await world.admin.get('/v1/hosts')).body.hosts
  await world.admin.post(`/v1/hosts/${own.id}/drain`)
})
afterAll(async () => {
  for (const host of hosts) host.hangUp()
  await world.close()
  await receiver.close()
})

async function standIn(store: string): Promise<HostStandIn> {
  const made = await registerStandIn(world, store)
  hosts.push(made)
  await made.dial()
  return made
}

async function connectOn(host: HostStandIn): Promise<Device> {
  const device = await makeDevice(world)
  host.state = connectedState(`${NUMBER}@s.msgnet.net`)
  expect((await device.caller.post('/instance/connect')).status).toBe(200)
  return device
}

async function killEdge(): Promise<void> {
  const before = world.pid('edge')
  process.kill(before, 'SIGKILL')
  await until(() => world.run.parts.edge !== before)
}

test('a host that died while the edge was away, and never dials again, has its instances taken over when its lease ends', async () => {
  const store = crypto.randomUUID()
  const one = await standIn(store)
  const device = await connectOn(one)
  const other = await standIn(store)
  await killEdge()
  one.hangUp()
  await other.dial()
  const held = await other.next('hold')
  expect(held.sessions).toEqual([{ instance: device.id, epoch: 2, kind: 'msgnet' }])
  await world.admin.delete(`/v1/instances/${device.id}`)
  other.hangUp()
})

test('what was on its way to a host is asked for with the next request of its key, and takes effect once', async () => {
  const host = await standIn(crypto.randomUUID())
  const device = await connectOn(host)
  const send = () =>
    device.caller.post(
      '/send/text',
      { number: '5511600009999', text: 'hello' },
      { 'idempotency-key': 'once' },
    )
  host.answering = false
  const cut = send().catch(() => 'cut')
  const act = await host.next('act', ({ action }) => action === 'message.sendText')
  await killEdge()
  expect(await cut).toBe('cut')
  await host.dial([{ instance: device.id, epoch: 1 }])
  const answer = until(async () => {
    const again = await send()
    return again.status === 200 && again
  })
  expect((await host.next('what')).id).toBe(act.id)
  const result = { ...emptyMessage, id: 'sent', messageid: 'sent', text: 'hello' }
  host.send({ t: 'outcome', id: act.id, outcome: { kind: 'done', result } })
  expect((await answer).body).toMatchObject({ id: 'sent' })
  expect(host.frames.filter(({ t }) => t === 'act')).toEqual([])
})

test('an event that falls due within the first minute is delivered then, and not before', async () => {
  const host = await standIn(crypto.randomUUID())
  const device = await connectOn(host)
  await subscribe(device, receiver)
  receiver.answer = 503
  const id = crypto.randomUUID()
  const about = { instance: device.id, epoch: 1, owner: '', at: Date.now() }
  const payload = { status: 'connected', lastDisconnectReason: '' }
  host.send({ t: 'events', items: [{ t: 'event', n: 1, id, type: 'connection', ...about, payload }] })
  const tries = () => receiver.deliveries.filter(({ headers }) => headers['webhook-id'] === id)
  await until(() => tries().length === 1)
  const due = Date.now() + 12_000
  await until(async () => {
    await world.database(`update events set next_attempt_at = ${due} where id = '${id}'`)
    const [row] = await world.database(`select next_attempt_at from events where id = '${id}'`)
    return row?.next_attempt_at === due
  })
  const before = tries().length
  await killEdge()
  receiver.answer = 200
  await until(() => tries().length > before, { within: 40_000 })
  expect(tries().at(-1)?.body).toBe(tries()[0]?.body)
  expect(Date.now()).toBeGreaterThanOrEqual(due)
})
