// The edge's side of assignments, frame by frame: the frames for a host, and which of its reports count.
// @module-tag slow

import { emptyMessage } from '@msgnet/shared/contract/message-requests.ts'
import type { EventReport } from '@msgnet/shared/wire/host-reports.ts'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createDevice, type Device } from '../device.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { createConnectedState, type HostStandIn, registerStandIn } from './host-stand-in.ts'
import { findHostRecord } from './hosts.ts'

let world: World
let accounts = 0
const open: HostStandIn[] = []
const devices: Device[] = []

beforeAll(async () => {
  world = await startWorld({ LEASE_MS: '3000', ACTION_TIMEOUT_MS: '5000' })
  const [own] = (await world.admin.get('/v1/hosts')).body.hosts
  await world.admin.post(`/v1/hosts/${own.id}/drain`)
})

// One that only hung up would be a candidate for as long as its lease runs.
afterEach(async () => {
  for (const host of open) host.hangUp()
  for (const device of devices.splice(0)) await world.admin.delete(`/v1/instances/${device.id}`)
  for (const host of open.splice(0)) {
    await world.admin.delete(`/v1/hosts/${host.id}`)
  }
})

afterAll(() => world.close())

async function startStandIn(store: string, region?: string): Promise<HostStandIn> {
  const made = await registerStandIn(world, store, region)
  open.push(made)
  await made.dialEdge()
  return made
}

/** An instance that is connected on this host, the only one with room. */
async function connectThrough(host: HostStandIn): Promise<Device> {
  const device = await createDevice(world)
  devices.push(device)
  host.state = createConnectedState(`551160000${String(1000 + accounts++)}@s.msgnet.net`)
  expect((await device.caller.post('/instance/connect')).status).toBe(200)
  return device
}

const createEvent = (instance: string, epoch: number, n: number): EventReport => ({
  t: 'event',
  n,
  instance,
  epoch,
  id: crypto.randomUUID(),
  type: 'connection',
  owner: '',
  at: Date.now(),
  payload: { status: 'connected', lastDisconnectReason: '' },
})

const listEvents = async (device: Device) =>
  (await device.caller.get('/v1/events')).body.events as { id: string }[]

test('when a lease has ended, another host with the store gets the connected sessions, and the first one learns it when it returns', async () => {
  const store = crypto.randomUUID()
  const one = await startStandIn(store)
  const device = await connectThrough(one)
  const stranger = await startStandIn(crypto.randomUUID())
  const other = await startStandIn(store)
  one.hangUp()
  const holdFrame = await other.waitForFrame('hold')
  expect(holdFrame.sessions).toEqual([{ instance: device.id, epoch: 2, kind: 'msgnet' }])
  expect(stranger.frames.some(({ t }) => t === 'hold')).toBe(false)
  expect((await device.caller.get('/instance/status')).body).toMatchObject({
    loggedIn: false,
    instance: { status: 'connecting' },
  })

  const gone = crypto.randomUUID()
  const welcome = await one.dialEdge([
    { instance: device.id, epoch: 1 },
    { instance: gone, epoch: 1 },
  ])
  expect(welcome).toMatchObject({ release: [device.id], gone: [gone] })

  // What the first still has to report is not taken, and not its to forget; from the other it counts, once.
  const report = createEvent(device.id, 1, 7)
  one.sendFrames({ t: 'events', items: [report] })
  expect(await one.waitForFrame('ack')).toEqual({ t: 'ack', upTo: 7, moved: [device.id] })
  expect((await listEvents(device)).map(({ id }) => id)).not.toContain(report.id)
  const restamped = { ...report, epoch: 2, n: 1 }
  other.sendFrames({ t: 'events', items: [restamped] }, { t: 'events', items: [{ ...restamped, n: 2 }] })
  await other.waitForFrame('ack', ({ upTo }) => upTo === 2)
  expect((await listEvents(device)).filter(({ id }) => id === report.id)).toHaveLength(1)
})

test('a host that is not linked gets its assignments with its next welcome', async () => {
  const store = crypto.randomUUID()
  const one = await startStandIn(store)
  const device = await connectThrough(one)
  const other = await startStandIn(store)
  one.hangUp()
  await other.waitForFrame('hold')
  // It comes back without ever having received it.
  await other.dialEdge([])
  expect(await other.waitForFrame('hold')).toMatchObject({ sessions: [{ instance: device.id, epoch: 2 }] })
})

test('sessions that a draining host yields move to another host at once; without another host they stay', async () => {
  const store = crypto.randomUUID()
  const one = await startStandIn(store)
  const device = await connectThrough(one)
  one.sendFrames({ t: 'draining' }, { t: 'yielded', sessions: [{ instance: device.id, epoch: 1 }] })
  expect(await one.waitForFrame('hold')).toMatchObject({ sessions: [{ instance: device.id, epoch: 1 }] })
  expect((await findHostRecord(world, one.id)).draining).toBe(true)

  const other = await startStandIn(store)
  await world.admin.post(`/v1/hosts/${one.id}/drain`)
  expect(await one.waitForFrame('yield')).toMatchObject({ instances: [device.id] })
  one.sendFrames({ t: 'yielded', sessions: [{ instance: device.id, epoch: 1 }] })
  expect(await one.waitForFrame('release')).toMatchObject({ instances: [device.id] })
  expect(await other.waitForFrame('hold')).toMatchObject({ sessions: [{ instance: device.id, epoch: 2 }] })

  // Said again, it is nothing any more: the epoch has moved on.
  one.sendFrames({ t: 'yielded', sessions: [{ instance: device.id, epoch: 1 }] })
  const [row] = await world.queryDatabase(`select host_id, epoch from instances where id = '${device.id}'`)
  expect(row).toEqual({ host_id: other.id, epoch: 2 })
})

test('an instance without a session that a draining host yields, and that no other host has a slot for, is released', async () => {
  const store = crypto.randomUUID()
  const one = await startStandIn(store)
  const device = await createDevice(world)
  devices.push(device)
  one.state = { ...createConnectedState(''), status: 'disconnected', connected: false, loggedIn: false }
  await device.caller.post('/instance/connect')
  const full = await registerStandIn(world, store)
  open.push(full)
  full.claims = full.running = 1
  await full.dialEdge([{ instance: crypto.randomUUID(), epoch: 1 }])
  await world.admin.post(`/v1/hosts/${one.id}/drain`)
  expect(await one.waitForFrame('yield')).toMatchObject({ instances: [device.id] })
  one.sendFrames({ t: 'yielded', sessions: [{ instance: device.id, epoch: 1 }] })
  // Otherwise it would refuse what is asked of the instance, as one that another host has.
  expect(await one.waitForFrame('release')).toMatchObject({ instances: [device.id] })
  const [row] = await world.queryDatabase(`select host_id, epoch from instances where id = '${device.id}'`)
  expect(row).toEqual({ host_id: one.id, epoch: 1 })
})

test('a host that is drained while its link is down, or while no other host is linked, is asked for its sessions later', async () => {
  const store = crypto.randomUUID()
  const one = await startStandIn(store)
  const device = await connectThrough(one)
  const held = [{ instance: device.id, epoch: 1 }]
  const other = await startStandIn(store)
  one.hangUp()
  other.hangUp()
  expect((await world.admin.post(`/v1/hosts/${one.id}/drain`)).body.host.draining).toBe(true)

  // Nobody could take its sessions yet, so it goes on serving them.
  await one.dialEdge(held)
  await other.dialEdge([])
  expect(await one.waitForFrame('yield')).toMatchObject({ instances: [device.id] })

  // What it then yields is lost on the way, so it is asked again with its next link.
  await one.dialEdge(held)
  expect(await one.waitForFrame('yield')).toMatchObject({ instances: [device.id] })
  one.sendFrames({ t: 'yielded', sessions: held })
  expect(await other.waitForFrame('hold')).toMatchObject({ sessions: [{ instance: device.id, epoch: 2 }] })
})

test('a host that stops draining gets new instances without a restart', async () => {
  const one = await startStandIn(crypto.randomUUID())
  await world.admin.post(`/v1/hosts/${one.id}/drain`)
  const device = await createDevice(world)
  devices.push(device)
  const refused = await device.caller.post('/instance/connect')
  expect([refused.status, refused.body.error]).toEqual([502, 'msgnet_unreachable'])
  const ended = await world.admin.delete(`/v1/hosts/${one.id}/drain`)
  expect([ended.status, ended.body.host.draining]).toEqual([200, false])
  await connectThrough(one)
})

test('a new instance is assigned to a linked host, not to one that has just died', async () => {
  const [one, other] = [await startStandIn(crypto.randomUUID()), await startStandIn(crypto.randomUUID())]
  await one.sendGoodbye()
  expect((await findHostRecord(world, one.id)).live).toBe(true)
  for (let n = 0; n < 3; n++) await connectThrough(other)
  const rows = await world.queryDatabase('select host_id from instances order by created_at desc limit 3')
  expect(rows.map(({ host_id }) => host_id)).toEqual([other.id, other.id, other.id])
})

test('sessions without a host move to the next host that links with the same store', async () => {
  const store = crypto.randomUUID()
  const one = await startStandIn(store)
  const device = await connectThrough(one)
  one.hangUp()
  await until(async () => !(await findHostRecord(world, one.id)).live)
  const next = await startStandIn(store)
  expect(await next.waitForFrame('hold')).toMatchObject({ sessions: [{ instance: device.id, epoch: 2 }] })
})

test('an act for an instance whose host is gone goes to a host that shares its store', async () => {
  const store = crypto.randomUUID()
  const one = await startStandIn(store)
  const device = await connectThrough(one)
  one.hangUp()
  await until(async () => !(await findHostRecord(world, one.id)).live)
  const alone = await device.caller.post('/instance/connect')
  expect([alone.status, alone.body.error]).toEqual([502, 'msgnet_unreachable'])

  const other = await startStandIn(store)
  expect((await device.caller.post('/instance/connect')).status).toBe(200)
  expect(await other.waitForFrame('act')).toMatchObject({
    instance: device.id,
    epoch: 2,
    action: 'session.connect',
  })
})

const sendWithKey = (device: Device, key: string) =>
  device.caller.post('/send/text', { number: '5511600009999', text: 'hello' }, { 'idempotency-key': key })

test('a late outcome answers its key, even if the session has moved to another host', async () => {
  const store = crypto.randomUUID()
  const one = await startStandIn(store)
  const device = await connectThrough(one)
  const sendText = () => sendWithKey(device, 'moved')
  one.answering = false
  const unanswered = await sendText()
  expect(unanswered.status).toBe(504)
  const { id } = await one.waitForFrame('act', ({ action }) => action === 'message.sendText')
  const sent = { ...emptyMessage, id: 'sent', messageid: unanswered.body.messageid, text: 'hello' }
  one.sendFrames({ t: 'outcome', id, instance: device.id, outcome: { kind: 'done', result: sent } })
  await one.waitForFrame('seen')

  const other = await startStandIn(store)
  one.hangUp()
  await other.waitForFrame('hold')
  const response = await sendText()
  expect([response.status, response.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
  expect(response.body).toMatchObject({ messageid: unanswered.body.messageid, text: 'hello' })
  expect(other.frames.filter(({ t }) => t === 'act')).toEqual([])
})

test('a key whose act came to its host too late is free again, although its request was answered with 504', async () => {
  const host = await startStandIn(crypto.randomUUID())
  const device = await connectThrough(host)
  const sendText = () => sendWithKey(device, 'late')
  host.answering = false
  expect((await sendText()).status).toBe(504)
  const { id } = await host.waitForFrame('act', ({ action }) => action === 'message.sendText')
  expect((await sendText()).status).toBe(504)
  host.sendFrames({ t: 'not_started', id, instance: device.id })
  const later = await until(async () => {
    const again = await sendText()
    return again.status !== 504 && again
  })
  expect([later.status, later.body.error]).toEqual([502, 'msgnet_unreachable'])
  const countActs = () =>
    host.frames.filter((frame) => frame.t === 'act' && frame.action === 'message.sendText').length
  expect(countActs()).toBe(1)
  host.answering = true
  host.results['message.sendText'] = () => ({ ...emptyMessage, id: 'sent', messageid: 'sent', text: 'hello' })
  expect((await sendText()).status).toBe(200)
})

test('a host with linked instances cannot be deleted', async () => {
  const one = await startStandIn(crypto.randomUUID())
  const device = await connectThrough(one)
  const removeHost = () => world.admin.delete(`/v1/hosts/${one.id}`)
  expect(await removeHost()).toMatchObject({ status: 409, body: { error: 'session_conflict' } })
  expect((await findHostRecord(world, one.id)).live).toBe(true)
  await device.caller.delete('/instance')
  expect((await removeHost()).status).toBe(200)
  expect((await removeHost()).status).toBe(404)
})

test('reports about an instance of another host change nothing', async () => {
  const first = await startStandIn(crypto.randomUUID())
  const device = await connectThrough(first)
  const liar = await startStandIn(crypto.randomUUID())
  const before = (await device.caller.get('/instance/status')).body
  const known = await listEvents(device)
  const about = { instance: device.id, epoch: 99 }
  const state = { ...createConnectedState('5511600009999@s.msgnet.net'), rev: 1_000_000 }
  liar.sendFrames({
    t: 'events',
    items: [
      { ...createEvent(device.id, 99, 1), ...about },
      { t: 'state', n: 2, ...about, state },
    ],
  })
  await liar.waitForFrame('ack', ({ upTo }) => upTo === 2)
  expect(await listEvents(device)).toEqual(known)
  expect((await device.caller.get('/instance/status')).body).toEqual(before)
})

test.each([
  ['session_owned_elsewhere', 409, true],
  ['not_connected', 409, true],
  ['storage_unavailable', 502, true],
  ['not_in_group', 403, false],
] as const)(
  'a refusal %s of a host is %i, and whether its key is free then is %j',
  async (fault, status, isFree) => {
    const host = await startStandIn(crypto.randomUUID())
    const { caller } = await connectThrough(host)
    const rename = () =>
      caller.post(
        '/group/updateName',
        { groupjid: '120363000000000001@g.us', name: 'New' },
        { 'idempotency-key': 'one' },
      )
    host.refusal = { kind: 'refused', fault }
    const refused = await rename()
    expect([refused.status, refused.body.error]).toEqual([status, fault])
    host.refusal = undefined
    const again = await rename()
    const isReplayed = (answer: typeof again) => answer.headers.get('idempotency-replayed') === 'true'
    expect([again.status, isReplayed(again)]).toEqual(isFree ? [200, false] : [status, true])
    const last = await rename()
    expect([last.status, isReplayed(last)]).toEqual([again.status, true])
  },
)

test('a refusal that names a time to wait has it as Retry-After, in whole seconds', async () => {
  const host = await startStandIn(crypto.randomUUID())
  const device = await connectThrough(host)
  host.refusal = { kind: 'refused', fault: 'quota_reached', message: 'The minute is used.', waitMs: 12_345 }
  const { status, body, headers } = await device.caller.post('/chat/find', {})
  expect([status, body.error, body.message]).toEqual([429, 'rate_limited', 'The minute is used.'])
  expect(headers.get('retry-after')).toBe('13')
  host.refusal = { kind: 'refused', fault: 'quota_reached' }
  expect((await device.caller.post('/chat/find', {})).headers.get('retry-after')).toBe('1')
  host.refusal = undefined
})
