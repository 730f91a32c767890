// What a host's token and its slots are worth: the admin gives both, and takes them back.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { type HostStandIn, registerStandIn } from './host-stand-in.ts'
import { findHostRecord } from './hosts.ts'

let world: World
const open: HostStandIn[] = []

beforeAll(async () => {
  world = await startWorld({ LEASE_MS: '3000' })
})

afterEach(() => {
  for (const host of open.splice(0)) host.hangUp()
})

afterAll(() => world.close())

async function registerHost(): Promise<HostStandIn> {
  const host = await registerStandIn(world, crypto.randomUUID())
  open.push(host)
  return host
}

test('a host has the slots that the admin allows, or fewer if it reports fewer', async () => {
  const created = (await world.admin.post('/v1/hosts', { region: 'here', slots: 7 })).body
  expect(created.host.slots).toBe(7)
  for (const slots of [0, 100_001, 1.5, '7']) {
    const { status, body } = await world.admin.post('/v1/hosts', { region: 'here', slots })
    expect([slots, status, body.error]).toEqual([slots, 400, 'invalid_body'])
  }
  await world.admin.delete(`/v1/hosts/${created.host.id}`)

  const host = await registerHost()
  const readSlots = async () => (await findHostRecord(world, host.id)).slots
  expect(await readSlots()).toBe(200)
  host.claims = Number.MAX_SAFE_INTEGER
  await host.dialEdge()
  expect(await readSlots()).toBe(200)
  const resized = await world.admin.post(`/v1/hosts/${host.id}/slots`, { slots: 3 })
  expect([resized.status, resized.body.host.slots, await readSlots()]).toEqual([200, 3, 3])
  host.claims = 2
  await host.dialEdge()
  expect(await readSlots()).toBe(2)
  await world.admin.post(`/v1/hosts/${host.id}/slots`, { slots: 1000 })
  expect(await readSlots()).toBe(2)
})

test('renewing a host token ends the previous one and its link at once', async () => {
  const host = await registerHost()
  await host.dialEdge()
  const previous = host.token
  const renewed = await world.admin.post(`/v1/hosts/${host.id}/token`)
  expect(renewed.body).toEqual({
    token: expect.stringMatching(/^mgh_[\w-]{43}$/),
    host: expect.objectContaining({ id: host.id }),
  })
  expect(renewed.headers.get('cache-control')).toBe('no-store')
  await until(() => host.closedWith === 4003)
  await expect(host.dialEdge()).rejects.toThrow('401')

  host.token = renewed.body.token
  expect(host.token).not.toBe(previous)
  await host.dialEdge()
  expect((await findHostRecord(world, host.id)).live).toBe(true)
})

test('a heartbeat on a link of a previous token does not renew the lease', async () => {
  const host = await registerHost()
  await host.dialEdge()
  // As if the link had been opened while the token was being replaced.
  await world.queryDatabase(`update hosts set token_hash = 'another' where id = '${host.id}'`)
  await until(() => host.closedWith === 4003)
  await until(async () => !(await findHostRecord(world, host.id)).live)
})

test('renewing the token or changing the slots of an unknown host is 404', async () => {
  const missing = `/v1/hosts/${crypto.randomUUID()}`
  for (const [path, body] of [
    ['token', {}],
    ['slots', { slots: 5 }],
  ] as const) {
    const response = await world.admin.post(`${missing}/${path}`, body)
    expect([response.status, response.body.error]).toEqual([404, 'not_found'])
    expect((await world.admin.post(`/v1/hosts/x/${path}`, body)).body.error).toBe('invalid_id')
  }
})

test('two processes that keep replacing each other’s link are logged once and counted', async () => {
  const one = await registerHost()
  const other = one.createTwin()
  open.push(other)
  const listAlarms = () =>
    readFileSync(join(world.dataDir, 'logs', 'edge.log'), 'utf8')
      .split('\n')
      .filter((line) => line.includes(one.id) && line.includes('"level":"error"'))
  const readCount = async () => {
    const text = await (await fetch(`${world.run.edgeMetricsUrl}/metrics`)).text()
    return Number(new RegExp(`edge_contested_links_total{host="${one.id}"} (\\d+)`).exec(text)?.[1] ?? 0)
  }
  await one.dialEdge()
  // A restart, and a connection that was lost: the same process comes back.
  await other.dialEdge()
  await other.dialEdge()
  await one.dialEdge()
  expect([listAlarms(), await readCount()]).toEqual([[], 0])
  for (let turn = 0; turn < 3; turn++) {
    await other.dialEdge()
    await one.dialEdge()
  }
  expect(await readCount()).toBeGreaterThanOrEqual(3)
  await until(() => listAlarms().length > 0)
  expect(listAlarms()).toHaveLength(1)
  expect(listAlarms()[0]).toContain('two processes use the same host token')
})
