// What still comes from a host whose instance is elsewhere by now, or gone: what counts of it, and what is kept.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { emptyMessage } from '../../shared/contract/message.ts'
import type { EventReport } from '../../shared/wire/reports.ts'
import type { SessionState } from '../../shared/wire/session-state.ts'
import { type Device, makeDevice } from '../device.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { connectedState, type HostStandIn, registerStandIn } from './host-stand-in.ts'
import { recordOf } from './hosts.ts'

let world: World
const open: HostStandIn[] = []

beforeAll(async () => {
  world = await startWorld({ LEASE_MS: '3000', ACTION_TIMEOUT_MS: '5000' })
  const [own] = (await world.admin.get('/v1/hosts')).body.hosts
  await world.admin.post(`/v1/hosts/${own.id}/drain`)
})

// One that only hung up would be a candidate for as long as its lease runs.
afterEach(async () => {
  for (const { id } of (await world.admin.get('/instance/all')).body) {
    for (const host of open) host.answering = true
    await world.admin.delete(`/v1/instances/${id}`)
  }
  for (const host of open) host.hangUp()
  for (const host of open.splice(0)) await world.admin.delete(`/v1/hosts/${host.id}`)
})

afterAll(() => world.close())

const unlinked: SessionState = {
  ...{ ...connectedState(''), status: 'disconnected', connected: false, loggedIn: false },
  lastDisconnectReason: 'logged_out',
}

async function standIn(state: SessionState): Promise<HostStandIn> {
  const made = await registerStandIn(world, crypto.randomUUID())
  made.state = state
  open.push(made)
  await made.dial()
  return made
}

/** A lease is short here: on a busy machine nobody may have one for a moment. */
const connectedBy = (device: Device) =>
  until(async () => (await device.caller.post('/instance/connect')).status === 200)

async function placedOn(host: HostStandIn): Promise<Device> {
  const device = await makeDevice(world)
  await connectedBy(device)
  expect(host.frames).toContainEqual(expect.objectContaining({ t: 'act', instance: device.id, epoch: 1 }))
  return device
}

/** An instance without a linked device that went to another host with another store while the first was away. */
async function moved() {
  const first = await standIn(unlinked)
  const device = await placedOn(first)
  first.hangUp()
  await until(async () => !(await recordOf(world, first.id)).live)
  const second = await standIn(connectedState('5511600000002@s.msgnet.net'))
  await connectedBy(device)
  expect(await second.next('act')).toMatchObject({ instance: device.id, epoch: 2 })
  const welcome = await first.dial([{ instance: device.id, epoch: 1 }])
  expect(welcome.release).toEqual([device.id])
  return { first, second, device }
}

const report = (
  { id: instance }: Device,
  n: number,
  type: 'messages' | 'connection',
  epoch = 1,
): EventReport => ({
  ...{ t: 'event', n, instance, epoch, id: crypto.randomUUID(), type, owner: '5511600000001' },
  ...{
    at: Date.now(),
    payload: type === 'messages' ? { message: { text: `of ${n}` } } : { status: 'connected' },
  },
})

const eventsOf = async (device: Device) =>
  ((await device.caller.get('/v1/events')).body.events as { id: string }[]).map(({ id }) => id)

test('events of the time when an instance was its own count, once; what the session is now only its present host tells', async () => {
  const { first, device } = await moved()
  const known = await eventsOf(device)
  const before = (await device.caller.get('/instance/status')).body
  const untold = [report(device, 4, 'messages'), report(device, 6, 'messages')] as const
  const state = { ...connectedState('5511600000001@s.msgnet.net'), rev: 1_000_000 }
  const items = [
    ...[{ t: 'state' as const, n: 3, instance: device.id, epoch: 1, state }, untold[0]],
    ...[report(device, 5, 'connection'), untold[1]],
  ]
  first.send({ t: 'events', items })
  expect(await first.next('ack')).toEqual({ t: 'ack', upTo: 6, moved: [] })
  first.send({ t: 'events', items: items.map((item) => ({ ...item, n: item.n + 10 })) })
  expect(await first.next('ack', ({ upTo }) => upTo === 16)).toMatchObject({ moved: [] })
  const told = (await eventsOf(device)).filter((id) => !known.includes(id))
  expect(told.sort()).toEqual(untold.map(({ id }) => id).sort())
  expect((await device.caller.get('/instance/status')).body).toEqual(before)
})

test('a host tells nothing of a time when the instance was not its own', async () => {
  const { first, device } = await moved()
  const known = await eventsOf(device)
  const stranger = await standIn(unlinked)
  stranger.send({ t: 'events', items: [report(device, 1, 'messages')] })
  expect(await stranger.next('ack')).toEqual({ t: 'ack', upTo: 1, moved: [device.id] })
  first.send({ t: 'events', items: [report(device, 9, 'messages', 2)] })
  await first.next('ack', ({ upTo }) => upTo === 9)
  expect(await eventsOf(device)).toEqual(known)
})

test('an outcome that nobody waited for goes with its instance, and is not kept when it comes after that', async () => {
  const host = await standIn(connectedState('5511600000003@s.msgnet.net'))
  const device = await placedOn(host)
  host.answering = false
  const text = { number: '5511600009999', text: 'hello' }
  expect((await device.caller.post('/send/text', text, { prefer: 'wait=1' })).status).toBe(504)
  const { id } = await host.next('act', ({ action }) => action === 'message.sendText')
  const outcome = { kind: 'done' as const, result: { ...emptyMessage, id: 'sent', text: 'hello' } }
  const seen = () => host.frames.filter((frame) => frame.t === 'seen' && frame.id === id).length
  const kept = () => world.database(`select act from late_outcomes where act = '${id}'`)
  host.send({ t: 'outcome', id, instance: device.id, outcome })
  await until(() => seen() === 1)
  expect(await kept()).toHaveLength(1)

  host.answering = true
  expect((await device.caller.delete('/instance')).status).toBe(200)
  expect(await kept()).toEqual([])
  host.send({ t: 'outcome', id, instance: device.id, outcome })
  await until(() => seen() === 2)
  expect(await kept()).toEqual([])
})
