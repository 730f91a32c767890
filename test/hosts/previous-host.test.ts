// What still comes from a host whose instance is elsewhere by now, or gone: what counts of it, and what is kept.
// @module-tag slow

import { emptyMessage } from '@msgnet/shared/contract/message-requests.ts'
import type { EventReport } from '@msgnet/shared/wire/host-reports.ts'
import type { SessionState } from '@msgnet/shared/wire/session-state.ts'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createDevice, type Device } from '../device.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { createConnectedState, type HostStandIn, registerStandIn } from './host-stand-in.ts'
import { findHostRecord } from './hosts.ts'

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
  ...createConnectedState(''),
  status: 'disconnected',
  connected: false,
  loggedIn: false,
  lastDisconnectReason: 'logged_out',
}

async function startStandIn(state: SessionState): Promise<HostStandIn> {
  const made = await registerStandIn(world, crypto.randomUUID())
  made.state = state
  open.push(made)
  await made.dialEdge()
  return made
}

/** A lease is short here: on a busy machine no host may have one for a moment. */
const connectDevice = (device: Device) =>
  until(async () => (await device.caller.post('/instance/connect')).status === 200)

async function connectThrough(host: HostStandIn): Promise<Device> {
  const device = await createDevice(world)
  await connectDevice(device)
  expect(host.frames).toContainEqual(expect.objectContaining({ t: 'act', instance: device.id, epoch: 1 }))
  return device
}

/** An instance without a linked device that went to another host with another store while the first was away. */
async function moveDevice() {
  const first = await startStandIn(unlinked)
  const device = await connectThrough(first)
  first.hangUp()
  await until(async () => !(await findHostRecord(world, first.id)).live)
  const second = await startStandIn(createConnectedState('5511600000002@s.msgnet.net'))
  await connectDevice(device)
  expect(await second.waitForFrame('act')).toMatchObject({ instance: device.id, epoch: 2 })
  const welcome = await first.dialEdge([{ instance: device.id, epoch: 1 }])
  expect(welcome.release).toEqual([device.id])
  return { first, second, device }
}

const createReport = (
  { id: instance }: Device,
  n: number,
  type: 'messages' | 'connection',
  epoch = 1,
): EventReport => ({
  t: 'event',
  n,
  instance,
  epoch,
  id: crypto.randomUUID(),
  type,
  owner: '5511600000001',
  at: Date.now(),
  payload: type === 'messages' ? { message: { text: `of ${n}` } } : { status: 'connected' },
})

const listEventIds = async (device: Device) =>
  ((await device.caller.get('/v1/events')).body.events as { id: string }[]).map(({ id }) => id)

test('events from the time of the previous host are stored once; the state comes from the current host only', async () => {
  const { first, device } = await moveDevice()
  const known = await listEventIds(device)
  const before = (await device.caller.get('/instance/status')).body
  const untold = [createReport(device, 4, 'messages'), createReport(device, 6, 'messages')] as const
  const state = { ...createConnectedState('5511600000001@s.msgnet.net'), rev: 1_000_000 }
  const items = [
    { t: 'state' as const, n: 3, instance: device.id, epoch: 1, state },
    untold[0],
    createReport(device, 5, 'connection'),
    untold[1],
  ]
  first.sendFrames({ t: 'events', items })
  expect(await first.waitForFrame('ack')).toEqual({ t: 'ack', upTo: 6, moved: [] })
  first.sendFrames({ t: 'events', items: items.map((item) => ({ ...item, n: item.n + 10 })) })
  expect(await first.waitForFrame('ack', ({ upTo }) => upTo === 16)).toMatchObject({ moved: [] })
  const added = (await listEventIds(device)).filter((id) => !known.includes(id))
  expect(added.sort()).toEqual(untold.map(({ id }) => id).sort())
  expect((await device.caller.get('/instance/status')).body).toEqual(before)
})

test('events from a time when the host did not have the instance are ignored', async () => {
  const { first, device } = await moveDevice()
  const known = await listEventIds(device)
  const stranger = await startStandIn(unlinked)
  stranger.sendFrames({ t: 'events', items: [createReport(device, 1, 'messages')] })
  expect(await stranger.waitForFrame('ack')).toEqual({ t: 'ack', upTo: 1, moved: [device.id] })
  first.sendFrames({ t: 'events', items: [createReport(device, 9, 'messages', 2)] })
  await first.waitForFrame('ack', ({ upTo }) => upTo === 9)
  expect(await listEventIds(device)).toEqual(known)
})

test('a late outcome is deleted with its instance, and is not stored after that', async () => {
  const host = await startStandIn(createConnectedState('5511600000003@s.msgnet.net'))
  const device = await connectThrough(host)
  host.answering = false
  const text = { number: '5511600009999', text: 'hello' }
  expect((await device.caller.post('/send/text', text, { prefer: 'wait=1' })).status).toBe(504)
  const { id } = await host.waitForFrame('act', ({ action }) => action === 'message.sendText')
  const outcome = { kind: 'done' as const, result: { ...emptyMessage, id: 'sent', text: 'hello' } }
  const countSeen = () => host.frames.filter((frame) => frame.t === 'seen' && frame.id === id).length
  const listStoredOutcomes = () => world.queryDatabase(`select act from late_outcomes where act = '${id}'`)
  host.sendFrames({ t: 'outcome', id, instance: device.id, outcome })
  await until(() => countSeen() === 1)
  expect(await listStoredOutcomes()).toHaveLength(1)

  host.answering = true
  expect((await device.caller.delete('/instance')).status).toBe(200)
  expect(await listStoredOutcomes()).toEqual([])
  host.sendFrames({ t: 'outcome', id, instance: device.id, outcome })
  await until(() => countSeen() === 2)
  expect(await listStoredOutcomes()).toEqual([])
})
