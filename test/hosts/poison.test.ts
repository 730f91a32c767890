// A report that the edge cannot keep is set aside by itself, acknowledged with the others, and closes no link.

import type { EventReport } from '@msgnet/shared/wire/host-reports.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevice, type Device } from '../device.ts'
import { startWorld, type World } from '../world.ts'
import { type HostStandIn, registerStandIn } from './host-stand-in.ts'

let world: World
let host: HostStandIn
let device: Device
let lastNumber = 0

beforeAll(async () => {
  world = await startWorld()
  const [own] = (await world.admin.get('/v1/hosts')).body.hosts
  await world.admin.post(`/v1/hosts/${own.id}/drain`)
  host = await registerStandIn(world, crypto.randomUUID())
  await host.dialEdge()
  device = await createDevice(world)
  expect((await device.caller.post('/instance/connect')).status).toBe(200)
})

afterAll(async () => {
  host.hangUp()
  await world.close()
})

const createEvent = (payload: EventReport['payload'] = {}): EventReport => ({
  t: 'event',
  n: ++lastNumber,
  instance: device.id,
  epoch: 1,
  id: crypto.randomUUID(),
  type: 'connection',
  owner: '',
  at: Date.now(),
  payload: { status: 'connected', lastDisconnectReason: '', ...payload },
})

const createNested = (depth: number): unknown => (depth === 0 ? 'deep' : [createNested(depth - 1)])

async function readEventsAfter(seq: number) {
  const { body } = await device.caller.get(`/v1/events?afterSeq=${seq}&limit=200`)
  return body.events as { id: string; seq: number; status: string; lastError?: string; payload: object }[]
}

/** Sends them as one frame, and waits until the link has acknowledged it. */
async function sendEvents(...items: object[]) {
  const before = (await readEventsAfter(0)).at(-1)?.seq ?? 0
  host.sendFrames({ t: 'events', items: items as EventReport[] })
  await host.waitForFrame('ack', ({ upTo }) => upTo === lastNumber)
  return readEventsAfter(before)
}

test.each([
  ['larger than a value may be', { text: 'x'.repeat(6_000_000) }],
  ['nested deeper than the database reads', { nested: createNested(1500) }],
])(
  'a report %s becomes a dead event with its reason; the others of the frame are stored',
  async (_, payload) => {
    const [first, bad, last] = [createEvent(), createEvent(payload), createEvent()]
    const stored = await sendEvents(first, bad, last)
    expect(stored.map(({ id }) => id)).toEqual([first, bad, last].map(({ id }) => id))
    expect(stored.map(({ seq }) => seq - (stored[0]?.seq ?? 0))).toEqual([0, 1, 2])
    expect(stored.map(({ status }) => status)).toEqual(['delivered', 'dead', 'delivered'])
    expect(stored[1]).toMatchObject({ lastError: 'not_storable', payload: { truncated: true } })
    const { errors } = (await device.caller.get('/webhook/errors')).body
    expect(errors[0]).toMatchObject({ eventId: bad.id, status: 'dead', lastError: 'not_storable' })
  },
)

test('rejected reports are counted in the metrics by kind', async () => {
  const readCount = async (kind: string) => {
    const text = await (await fetch(`${world.run.edgeMetricsUrl}/metrics`)).text()
    return Number(new RegExp(`edge_refused_reports_total{kind="${kind}"} (\\d+)`).exec(text)?.[1] ?? 0)
  }
  const [events, unreadable] = [await readCount('event'), await readCount('unreadable')]
  await sendEvents(createEvent({ nested: createNested(1500) }), createEvent(), {
    ...createEvent(),
    payload: 'no object',
  })
  expect(await readCount('event')).toBe(events + 1)
  expect(await readCount('unreadable')).toBe(unreadable + 1)
})

test('a report that does not parse is set aside alone, and the link stays open', async () => {
  const [first, odd, last] = [createEvent(), { ...createEvent(), payload: 'no object' }, createEvent()]
  const stored = await sendEvents(first, odd, { t: 'nobody knows' }, null as never, last)
  expect(stored.map(({ id, status }) => [id, status])).toEqual([
    [first.id, 'delivered'],
    [last.id, 'delivered'],
    [odd.id, 'dead'],
  ])
  const again = createEvent()
  expect((await sendEvents(again)).map(({ id }) => id)).toEqual([again.id])
})

test('a frame with only invalid reports is acknowledged', async () => {
  const bad = Array.from({ length: 20 }, () => createEvent({ nested: createNested(1500) }))
  const stored = await sendEvents(...bad)
  expect(stored.map(({ id }) => id)).toEqual(bad.map(({ id }) => id))
  expect(stored.every(({ status }) => status === 'dead')).toBe(true)
})
