// Private destinations in every spelling: refused when saved, when delivered to, when redirected to, when resolved.
// @module-tag slow

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevice, type Device } from '../device.ts'
import { canFakeNames } from '../fake-names.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { type Canary, formatHost, listOwnAddresses, startCanary } from './canary.ts'
import { thisMachine } from './spellings.ts'

const names: Record<string, string> = Object.fromEntries(
  ['127.0.0.1', '::1', '::ffff:127.0.0.1', '0.0.0.0', ...listOwnAddresses()].map((address, n) => [
    `n${n}.canary.org`,
    address,
  ]),
)
const namesToResolve = canFakeNames()

let world: World
let canary: Canary
let redirector: Server
let place: string
let urls: string[]

beforeAll(async () => {
  canary = await startCanary()
  urls = [...thisMachine, ...listOwnAddresses().map(formatHost)].map(
    (host) => `https://${host}:${canary.port}/`,
  )
  // A request for /7 is redirected to the seventh spelling.
  redirector = createServer((request, response) => {
    const location = urls[Number(request.url?.slice(1))] ?? ''
    response.writeHead(307, { location: location.replace(/[^!-~]+/g, encodeURIComponent) }).end()
  })
  await new Promise<void>((resolve) => redirector.listen(0, '127.0.0.1', resolve))
  place = `127.0.0.1:${(redirector.address() as AddressInfo).port}`
  world = await startWorld(
    { WEBHOOK_ALLOWLIST: place, LOG_LEVEL: 'warn' },
    namesToResolve ? names : undefined,
  )
})

afterAll(async () => {
  await world.close()
  redirector.close()
  canary.close()
})

/** One after another: they are many. */
async function createEach<Item, Made>(
  items: Item[],
  make: (item: Item, n: number) => Promise<Made>,
): Promise<Made[]> {
  const made: Made[] = []
  for (const [n, item] of items.entries()) made.push(await make(item, n))
  return made
}

/** An instance with a subscription to this URL, which was not checked, and an event that is due again. */
async function createSubscribed(url: string): Promise<Device> {
  const device = await createDevice(world)
  await device.caller.post('/webhook', { url: 'https://hooks.example.org/', events: 'groups' })
  await world.queryDatabase(`update webhooks set url = '${url}' where instance_id = '${device.id}'`)
  await world.queryDatabase(`
    insert into events (id, instance_id, seq, type, owner, payload, at, created_at, status, wanted)
    values ('${crypto.randomUUID()}', '${device.id}', 1, 'groups', '', '{}', 1, ${Date.now()}, 'delivered', 0)`)
  expect((await device.caller.post('/v1/events/replay', { fromSeq: 0 })).body).toEqual({
    matched: 1,
    queued: 1,
  })
  return device
}

const waitForFailure = ({ caller }: Device) =>
  until(async () => {
    const [failure] = (await caller.get('/webhook/errors')).body.errors
    return failure && { status: failure.lastStatus ?? 0, error: failure.lastError }
  })

test('there are more than sixty spellings', () => {
  expect(new Set(urls).size).toBeGreaterThanOrEqual(60)
})

test('each spelling is refused when it is saved, for one instance and for all', async () => {
  const { caller } = await createDevice(world)
  for (const url of urls) {
    const responses = [
      await caller.post('/webhook', { url, events: 'all' }),
      await world.admin.post('/v1/webhook', { url, events: 'all' }),
    ]
    expect([url, ...responses.map(({ body }) => body.error)]).toEqual([url, 'invalid_url', 'invalid_url'])
  }
})

test('each spelling is refused at a delivery, if it was saved when it was allowed', async () => {
  const devices = await createEach(urls, createSubscribed)
  for (const device of devices)
    expect(await waitForFailure(device)).toEqual({ status: 0, error: 'destination_not_allowed' })
  expect(canary.touched).toBe(0)
})

test('each spelling is refused for a webhook beside the first: when it is saved, changed and delivered to', async () => {
  const { caller, id: instance } = await createDevice(world)
  const beside = { url: 'https://hooks.example.org/', events: 'groups' }
  const { id } = (await caller.post('/v1/webhooks', beside)).body.webhook
  await world.queryDatabase(`insert into events (id, instance_id, seq, type, owner, payload, at, created_at, status, wanted)
    values ('${crypto.randomUUID()}', '${instance}', 1, 'groups', '', '{}', 1, ${Date.now()}, 'delivered', 0)`)
  for (const url of urls) {
    const refused = [
      await caller.post('/v1/webhooks', { ...beside, url }),
      await caller.request('PATCH', `/v1/webhooks/${id}`, { url }),
    ]
    expect([url, ...refused.map(({ body }) => body.error)]).toEqual([url, 'invalid_url', 'invalid_url'])
    await world.queryDatabase(`update webhooks set url = '${url}' where id = '${id}'`)
    const before = Date.now()
    await caller.post('/v1/events/replay', { webhookId: id, fromSeq: 0 })
    const failure = await until(async () => {
      const [newest] = (await caller.get(`/v1/webhooks/${id}/errors`)).body.errors
      return newest && Date.parse(newest.lastAttemptAt) >= before && newest
    })
    expect([url, failure.lastError]).toEqual([url, 'destination_not_allowed'])
  }
  expect(canary.touched).toBe(0)
})

test('a redirect to any of them is not followed', async () => {
  const devices = await createEach(urls, (_, n) => createSubscribed(`http://${place}/${n}`))
  for (const device of devices)
    expect(await waitForFailure(device)).toEqual({ status: 307, error: 'redirect' })
  expect(canary.touched).toBe(0)
})

test('a name that looks public and resolves to a private address is saved, and not reached', async ({
  skip,
}) => {
  if (!namesToResolve) skip('made-up names need a mount namespace, which this machine forbids')
  const devices = await createEach(Object.keys(names), async (name) => {
    const url = `https://${name}:${canary.port}/`
    const device = await createSubscribed(url)
    expect((await device.caller.post('/webhook', { url, events: 'groups' })).status).toBe(200)
    return device
  })
  for (const device of devices)
    expect(await waitForFailure(device)).toEqual({ status: 0, error: 'unreachable' })
  expect(canary.touched).toBe(0)
})

test('the canary works: an allowed request reaches it', async () => {
  await fetch(`http://127.0.0.1:${canary.port}/`).catch(() => undefined)
  await until(() => canary.touched === 1)
})
