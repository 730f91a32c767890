// A report that the edge cannot keep is set aside by itself, acknowledged with the others, and closes no link.

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EventReport } from '../../shared/wire/reports.ts'
import { type Device, makeDevice } from '../device.ts'
import { startWorld, type World } from '../world.ts'
import { type HostStandIn, registerStandIn } from './host-stand-in.ts'

let world: World
let host: HostStandIn
let device: Device
let told = 0

beforeAll(async () => {
  world = await startWorld()
  const [own] = (await world.admin.get('/v1/hosts')).body.hosts
  await world.admin.post(`/v1/hosts/${own.id}/drain`)
  host = await registerStandIn(world, crypto.randomUUID())
  await host.dial()
  device = await makeDevice(world)
  expect((await device.caller.post('/instance/connect')).status).toBe(200)
})

afterAll(async () => {
  host.hangUp()
  await world.close()
})

const event = (payload: EventReport['payload'] = {}): EventReport => ({
  ...{ t: 'event', n: ++told, instance: device.id, epoch: 1, id: crypto.randomUUID() },
  ...{ type: 'connection', owner: '', at: Date.now() },
  payload: { status: 'connected', lastDisconnectReason: '', ...payload },
})

const nested = (depth: number): unknown => (depth === 0 ? 'deep' : [nested(depth - 1)])

async function eventsFrom(seq: number) {
  const { body } = await device.caller.get(`/v1/events?afterSeq=${seq}&limit=200`)
  return body.events as { id: string; seq: number; status: string; lastError?: string; payload: object }[]
}

/** Sends them as one frame, and waits until the link has acknowledged it. */
async function send(...items: object[]) {
  const before = (await eventsFrom(0)).at(-1)?.seq ?? 0
  host.send({ t: 'events', items: items as EventReport[] })
  await host.next('ack', ({ upTo }) => upTo === told)
  return eventsFrom(before)
}

test.each([
  ['larger than a value may be', { text: 'x'.repeat(6_000_000) }],
  ['nested deeper than the database reads', { nested: nested(1500) }],
])(
  'a report %s becomes a dead event with its reason; the others of the frame are kept',
  async (_, payload) => {
    const [first, bad, last] = [event(), event(payload), event()]
    const kept = await send(first, bad, last)
    expect(kept.map(({ id }) => id)).toEqual([first, bad, last].map(({ id }) => id))
    expect(kept.map(({ seq }) => seq - (kept[0]?.seq ?? 0))).toEqual([0, 1, 2])
    expect(kept.map(({ status }) => status)).toEqual(['delivered', 'dead', 'delivered'])
    expect(kept[1]).toMatchObject({ lastError: 'not_storable', payload: { truncated: true } })
    const { errors } = (await device.caller.get('/webhook/errors')).body
    expect(errors[0]).toMatchObject({ eventId: bad.id, status: 'dead', lastError: 'not_storable' })
  },
)

test('refused reports are counted in the metrics, by kind', async () => {
  const counted = async (kind: string) => {
    const text = await (await fetch(`${world.run.edgeMetricsUrl}/metrics`)).text()
    return Number(new RegExp(`edge_refused_reports_total{kind="${kind}"} (\\d+)`).exec(text)?.[1] ?? 0)
  }
  const [events, unreadable] = [await counted('event'), await counted('unreadable')]
  await send(event({ nested: nested(1500) }), event(), { ...event(), payload: 'no object' })
  expect(await counted('event')).toBe(events + 1)
  expect(await counted('unreadable')).toBe(unreadable + 1)
})

test('what does not parse is set aside alone, and the link stays', async () => {
  const [first, odd, last] = [event(), { ...event(), payload: 'no object' }, event()]
  const kept = await send(first, odd, { t: 'nobody knows' }, null as never, last)
  expect(kept.map(({ id, status }) => [id, status])).toEqual([
    [first.id, 'delivered'],
    [last.id, 'delivered'],
    [odd.id, 'dead'],
  ])
  const again = event()
  expect((await send(again)).map(({ id }) => id)).toEqual([again.id])
})

test('a frame of nothing but bad reports is acknowledged', async () => {
  const bad = Array.from({ length: 20 }, () => event({ nested: nested(1500) }))
  const kept = await send(...bad)
  expect(kept.map(({ id }) => id)).toEqual(bad.map(({ id }) => id))
  expect(kept.every(({ status }) => status === 'dead')).toBe(true)
})
