// What an edge that was killed takes up again at its start, before the first minute is over: leases, deliveries, and acts on their way.
// @module-tag slow

import { emptyMessage } from '@msgnet/shared/contract/message-requests.ts'
import type { EventReport } from '@msgnet/shared/wire/host-reports.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevice, type Device, subscribeReceiver } from '../device.ts'
import { createConnectedState, type HostStandIn, registerStandIn } from '../hosts/host-stand-in.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { fromDelivery, updateDelivery } from '../stored-deliveries.ts'
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

async function startStandIn(store: string): Promise<HostStandIn> {
  const made = await registerStandIn(world, store)
  hosts.push(made)
  await made.dialEdge()
  return made
}

async function connectThrough(host: HostStandIn): Promise<Device> {
  const device = await createDevice(world)
  host.state = createConnectedState(`${NUMBER}@s.msgnet.net`)
  expect((await device.caller.post('/instance/connect')).status).toBe(200)
  return device
}

async function killEdge(): Promise<void> {
  const before = world.findPid('edge')
  process.kill(before, 'SIGKILL')
  await until(() => world.run.parts.edge !== before)
}

/** The edge is killed when the host has the act of a send with this key, and has not answered. */
async function killBeforeDial(key: string) {
  const host = await startStandIn(crypto.randomUUID())
  const device = await connectThrough(host)
  const sendText = () =>
    device.caller.post('/send/text', { number: '5511600009999', text: 'hello' }, { 'idempotency-key': key })
  host.answering = false
  const cut = sendText().catch(() => 'cut')
  const act = await host.waitForFrame('act', ({ action }) => action === 'message.sendText')
  await killEdge()
  expect(await cut).toBe('cut')
  const dialAgain = () => host.dialEdge([{ instance: device.id, epoch: 1 }])
  return { host, device, sendText, act, dialAgain }
}

/** The host has dialled the new edge. */
async function killDuringSend(key: string) {
  const { dialAgain, ...cut } = await killBeforeDial(key)
  await dialAgain()
  return cut
}

test('the instances of a host that died while the edge was down are reassigned when its lease ends', async () => {
  const store = crypto.randomUUID()
  const one = await startStandIn(store)
  const device = await connectThrough(one)
  const other = await startStandIn(store)
  await killEdge()
  one.hangUp()
  await other.dialEdge()
  const holdFrame = await other.waitForFrame('hold')
  expect(holdFrame.sessions).toEqual([{ instance: device.id, epoch: 2, kind: 'msgnet' }])
  await world.admin.delete(`/v1/instances/${device.id}`)
  other.hangUp()
})

test('the outcome of an act that was under way is requested with the next request of its key, and the act takes effect once', async () => {
  const { host, sendText, act } = await killDuringSend('once')
  const response = until(async () => {
    const again = await sendText()
    return again.status === 200 && again
  })
  expect((await host.waitForFrame('what')).id).toBe(act.id)
  const result = { ...emptyMessage, id: 'sent', messageid: 'sent', text: 'hello' }
  host.sendFrames({ t: 'outcome', id: act.id, instance: act.instance, outcome: { kind: 'done', result } })
  expect((await response).body).toMatchObject({ id: 'sent' })
  expect(host.frames.filter(({ t }) => t === 'act')).toEqual([])
})

test('an act that never reached its host is refused for good, its key is free, and the next request sends it once', async () => {
  const { host, device, sendText, act } = await killDuringSend('unsent')
  const asked = until(async () => {
    const again = await sendText()
    return again.status !== 409 && again.status !== 502
      ? again
      : again.body.error === 'msgnet_unreachable' && again
  })
  const what = await host.waitForFrame('what')
  expect(what).toEqual({ t: 'what', id: act.id, refuse: { instance: device.id, boot: host.boot } })
  host.sendFrames({ t: 'not_started', id: act.id, never: true })
  expect((await asked).status).toBe(502)
  const sent = sendText()
  const next = await host.waitForFrame('act', ({ action }) => action === 'message.sendText')
  expect(next.id).not.toBe(act.id)
  const result = { ...emptyMessage, id: 'sent', messageid: 'sent', text: 'hello' }
  host.sendFrames({ t: 'outcome', id: next.id, instance: next.instance, outcome: { kind: 'done', result } })
  expect(await sent).toMatchObject({ status: 200, body: { id: 'sent' } })
})

test('a database that fails while the outcome is asked for leaves the key as it was', async () => {
  const { host, sendText, act } = await killDuringSend('unread')
  const askAgain = () =>
    until(async () => {
      const again = await sendText()
      return again.body.error !== 'idempotency_in_progress' && again
    })
  await world.queryDatabase('alter table late_outcomes rename to unreadable')
  const failed = await askAgain().finally(() =>
    world.queryDatabase('alter table unreadable rename to late_outcomes'),
  )
  expect([failed.status, failed.body.error]).toEqual([502, 'storage_unavailable'])
  const asked = askAgain()
  expect((await host.waitForFrame('what')).id).toBe(act.id)
  const result = { ...emptyMessage, id: 'read', messageid: 'read', text: 'hello' }
  host.sendFrames({ t: 'outcome', id: act.id, instance: act.instance, outcome: { kind: 'done', result } })
  expect(await asked).toMatchObject({ status: 200, body: { id: 'read' } })
})

test('a file whose response the edge could not store before it was killed is not sent again with its key', async () => {
  const host = await startStandIn(crypto.randomUUID())
  const device = await connectThrough(host)
  const record = { ...emptyMessage, id: 'file', messageid: 'file', type: 'media' }
  host.results = { 'message.sendMedia': () => record }
  const file = `data:application/pdf;base64,${btoa('%PDF-1.4')}`
  const letter = { number: '5511600009999', type: 'document', file }
  const sendFile = () => device.caller.post('/send/media', letter, { 'idempotency-key': 'file' })
  await world.queryDatabase(`create trigger unstored before update on idempotency_keys when new.state = 'answered'
    begin select raise(abort, 'not now'); end`)
  expect(await sendFile()).toMatchObject({ status: 200, body: { id: 'file' } })
  const { id } = await host.waitForFrame('act', ({ action }) => action === 'message.sendMedia')
  // From here on the host knows nothing of it any more.
  await host.waitForFrame('seen', (seen) => seen.id === id)
  await killEdge()
  await world.queryDatabase('drop trigger unstored')
  await host.dialEdge([{ instance: device.id, epoch: 1 }])
  const again = await until(async () => {
    const asked = await sendFile()
    return asked.body.error !== 'idempotency_in_progress' && asked
  })
  expect(again).toMatchObject({ status: 200, body: { id: 'file' } })
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(host.frames.filter(({ t }) => t === 'act' || t === 'what')).toEqual([])
  expect(await world.queryDatabase('select act from late_outcomes')).toEqual([])
})

test('a key that is repeated before its host has dialled the edge again is answered by the host, not as unknown', async () => {
  const { host, device, sendText, act, dialAgain } = await killBeforeDial('early')
  let answeredAt = Date.now()
  const asked = until(async () => {
    const again = await sendText()
    answeredAt = Date.now()
    return again.status !== 409 && again
  })
  // 409 as long as the first request may be under way; the one after that waits for the host.
  await until(() => Date.now() - answeredAt > 1000)
  await dialAgain()
  const what = await host.waitForFrame('what')
  expect(what).toEqual({ t: 'what', id: act.id, refuse: { instance: device.id, boot: host.boot } })
  host.sendFrames({ t: 'not_started', id: act.id, never: true })
  expect((await asked).body).toMatchObject({ error: 'msgnet_unreachable' })
})

test('a key that got its response while a request asked what became of it keeps that response', async () => {
  const { host, device, sendText, act } = await killDuringSend('answered')
  const asked = until(async () => {
    const again = await sendText()
    return host.frames.some(({ t }) => t === 'what') && again
  })
  const key = `scope = '${device.id}' and key = 'answered'`
  await host.waitForFrame('what')
  await world.queryDatabase(`update idempotency_keys set state = 'answered', status = 200 where ${key}`)
  host.sendFrames({ t: 'not_started', id: act.id, never: true })
  expect((await asked).body).toMatchObject({ error: 'idempotency_in_progress' })
  expect(await world.queryDatabase(`select status from idempotency_keys where ${key}`)).toEqual([
    { status: 200 },
  ])
})

test('an event that is due within the first minute is delivered then, and not before', async () => {
  const host = await startStandIn(crypto.randomUUID())
  const device = await connectThrough(host)
  await subscribeReceiver(device, receiver)
  receiver.status = 503
  const id = crypto.randomUUID()
  const about = { instance: device.id, epoch: 1, owner: '', at: Date.now() }
  const payload = { status: 'connected', lastDisconnectReason: '' }
  host.sendFrames({ t: 'events', items: [{ t: 'event', n: 1, id, type: 'connection', ...about, payload }] })
  const listAttempts = () => receiver.deliveries.filter(({ headers }) => headers['webhook-id'] === id)
  await until(() => listAttempts().length === 1)
  const due = Date.now() + 12_000
  await until(async () => {
    await world.queryDatabase(updateDelivery(id, `next_attempt_at = ${due}`))
    const [row] = await world.queryDatabase(`select d.next_attempt_at ${fromDelivery(id)}`)
    return row?.next_attempt_at === due
  })
  const before = listAttempts().length
  await killEdge()
  receiver.status = 200
  await until(() => listAttempts().length > before, { within: 40_000 })
  expect(listAttempts().at(-1)?.body).toBe(listAttempts()[0]?.body)
  expect(Date.now()).toBeGreaterThanOrEqual(due)
})

test('a report that comes again after a kill is delivered as it was stored, whatever it says by then', async () => {
  const host = await startStandIn(crypto.randomUUID())
  const device = await connectThrough(host)
  await subscribeReceiver(device, receiver)
  receiver.status = 503
  const id = crypto.randomUUID()
  const report = (lastDisconnectReason: string): EventReport => ({
    t: 'event',
    n: 1,
    id,
    type: 'connection',
    instance: device.id,
    epoch: 1,
    owner: '',
    at: Date.now(),
    payload: { status: 'disconnected', lastDisconnectReason },
  })
  host.sendFrames({ t: 'events', items: [report('logged_out')] })
  const listAttempts = () => receiver.deliveries.filter(({ headers }) => headers['webhook-id'] === id)
  await until(() => listAttempts().length === 1)
  await killEdge()
  receiver.status = 200
  await host.dialEdge([{ instance: device.id, epoch: 1 }])
  host.sendFrames({ t: 'events', items: [report('replaced')] })
  await host.waitForFrame('ack')
  await until(() => listAttempts().length > 1, { within: 40_000 })
  expect(new Set(listAttempts().map(({ body }) => body))).toEqual(new Set([listAttempts()[0]?.body]))
})
