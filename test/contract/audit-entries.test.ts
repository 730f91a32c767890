// What has an entry in the audit log: all that gives an account away or changes it, and nothing that changes nothing or only repeats.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { type ApiResponse, type Caller, createCaller, createPlainCaller } from '../caller.ts'
import { createDevice, type LinkedDevice, linkDevice } from '../device.ts'
import { until } from '../until.ts'
import { asDeployed } from '../world.ts'

let world: BorrowedWorld
let device: LinkedDevice

beforeAll(async () => {
  world = await borrowWorld({ LOCAL_PROXIES: 'on', MCP: 'read', MCP_TOOLS: 'admin' })
  device = await linkDevice(world, await createDevice(world))
})

afterAll(() => world.close())

type Headers = Record<string, string>
type SendRequest = (headers: Headers) => Promise<ApiResponse>

const listEntries = async (query: string) =>
  (await world.admin.get(`/v1/audit?limit=200&${query}`)).body.entries

async function findEntries(sendRequest: SendRequest) {
  const requestId = crypto.randomUUID()
  const response = await sendRequest({ 'x-request-id': requestId })
  return { requestId, response }
}

/** The one entry of a request, waited for: that of a refusal, or of what a host does, is written behind the answer. */
async function findEntry(sendRequest: SendRequest) {
  const { requestId, response } = await findEntries(sendRequest)
  const entries = await until(async () => {
    const found = await listEntries(`requestId=${requestId}`)
    return found.length > 0 && found
  })
  expect(entries).toHaveLength(1)
  return { entry: entries[0], response }
}

/** What is written behind these answers is there once the entry of a later refusal is. */
async function expectNoEntries(requests: SendRequest[]) {
  const responses: ApiResponse[] = []
  const ids: string[] = []
  for (const sendRequest of requests) {
    const { requestId, response } = await findEntries(sendRequest)
    ids.push(requestId)
    responses.push(response)
  }
  await findEntry((headers) => world.admin.delete(`/v1/hosts/${crypto.randomUUID()}`, headers))
  for (const id of ids) expect(await listEntries(`requestId=${id}`)).toEqual([])
  return responses
}

const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const webhook = { url: 'http://127.0.0.1:9/hook', events: 'all' }

describe('these changes have an entry of their own', () => {
  test('changes of the account and the instance by its own token', async () => {
    const { caller, id } = device
    await caller.post('/webhook', { ...webhook, enabled: false })
    const steps: [string, SendRequest][] = [
      ['instance.rename', (headers) => caller.post('/instance/updateInstanceName', { name: 'B' }, headers)],
      [
        'instance.delay',
        (headers) =>
          caller.post('/instance/updateDelaySettings', { msg_delay_min: 0, msg_delay_max: 1 }, headers),
      ],
      ['profile.name', (headers) => caller.post('/profile/name', { name: 'The Shop' }, headers)],
      ['profile.image', (headers) => caller.post('/profile/image', { image: picture }, headers)],
      ['profile.image', (headers) => caller.post('/profile/image', { image: 'remove' }, headers)],
      ['privacy.change', (headers) => caller.post('/instance/privacy', { groupadd: 'contacts' }, headers)],
      ['events.replay', (headers) => caller.post('/v1/events/replay', { fromSeq: 1 }, headers)],
      ['instance.restart', (headers) => caller.post('/instance/restart', {}, headers)],
    ]
    for (const [action, sendRequest] of steps) {
      const { entry, response } = await findEntry(sendRequest)
      expect([action, response.status]).toEqual([action, 200])
      const actor = { actor: 'instance', actorId: id, target: id }
      expect(entry).toMatchObject({ action, ...actor, outcome: 'done' })
    }
  })

  test('a linking by the instance or by the admin, by QR code or by pairing code', async () => {
    const { id, caller } = await createDevice(world)
    const at = `/v1/instances/${id}`
    const steps: [string, SendRequest][] = [
      ['instance', (headers) => caller.post('/instance/connect', {}, headers)],
      ['root', (headers) => world.admin.post(`${at}/connect`, { phone: '5511988887777' }, headers)],
      ['root', (headers) => world.admin.post(`${at}/disconnect`, {}, headers)],
      ['root', (headers) => world.admin.post(`${at}/connect`, {}, headers)],
    ]
    for (const [actor, sendRequest] of steps) {
      const { entry, response } = await findEntry(sendRequest)
      expect(response.status).toBe(200)
      expect(entry).toMatchObject({ actor, target: id, outcome: 'done' })
      expect(entry.action).toMatch(/^instance\.(connect|disconnect)$/)
    }
    const { entry } = await findEntry((headers) =>
      world.admin.post(`/v1/instances/${device.id}/restart`, {}, headers),
    )
    expect(entry).toMatchObject({ action: 'instance.restart', actor: 'root', target: device.id })
  })

  test.skipIf(asDeployed)('changes in the simulation of the console, but not reads', async () => {
    const admintoken = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
    const console = createPlainCaller(world.run.baseUrl, { admintoken })
    const createSimulationRequest = (method: string, path: string, body?: object) => (headers: Headers) =>
      console.request(method, `/console/laboratory${path}`, body, headers)
    const { entry } = await findEntry(createSimulationRequest('POST', '/receiver', { answer: 204 }))
    expect(entry).toMatchObject({ action: 'laboratory.change', actor: 'root', target: '', outcome: 'done' })
    await findEntry(createSimulationRequest('DELETE', '/sim/faults'))
    await expectNoEntries([
      createSimulationRequest('GET', '/receiver'),
      createSimulationRequest('POST', '/no/such/route', {}),
    ])
  })
})

describe('these requests have no entry', () => {
  test('a request that leaves a webhook unchanged', async () => {
    const { caller } = await createDevice(world)
    const secret = 'a-secret-of-some-length'
    const changes = [
      { action: 'delete' },
      { action: 'inherit' },
      webhook,
      { ...webhook, secret },
      { ...webhook, events: 'messages' },
      { ...webhook, events: 'messages', enabled: false },
      { ...webhook, events: 'messages', enabled: false, excludeMessages: 'fromMeYes' },
      { ...webhook, events: 'messages', enabled: false, secret: '' },
      { action: 'delete' },
    ]
    for (const change of changes) {
      const save: SendRequest = (headers) => caller.post('/webhook', change, headers)
      const { entry, response } = await findEntry(save)
      expect(entry).toMatchObject({ action: 'webhook.change', outcome: 'done' })
      const again = await expectNoEntries([save, save])
      expect(again.map(({ body }) => body)).toEqual([response.body, response.body])
    }
  })

  test('a request that leaves the webhook of the server unchanged', async () => {
    for (const change of [webhook, { ...webhook, secret: 'a-secret-of-some-length' }, { action: 'delete' }]) {
      const save: SendRequest = (headers) => world.admin.post('/v1/webhook', change, headers)
      expect((await findEntry(save)).entry).toMatchObject({ action: 'server.webhook', outcome: 'done' })
      await expectNoEntries([save, save])
    }
  })

  test('an unchanged proxy, name or delay, and a linking or session that continues', async () => {
    const fresh = await createDevice(world, 'A name')
    const { caller } = fresh
    const proxy = { enable: false, proxy_url: 'socks5://somebody:secret@127.0.0.1:9999' }
    await caller.post('/instance/proxy', proxy)
    await caller.post('/instance/updateDelaySettings', { msg_delay_min: 1, msg_delay_max: 2 })
    const responses = await expectNoEntries([
      (headers) => caller.post('/instance/disconnect', {}, headers),
      (headers) => caller.post('/instance/proxy', proxy, headers),
      (headers) => caller.post('/instance/proxy', { enable: false }, headers),
      (headers) => caller.post('/instance/updateInstanceName', { name: 'A name' }, headers),
      (headers) =>
        caller.post('/instance/updateDelaySettings', { msg_delay_min: 1, msg_delay_max: 2 }, headers),
      (headers) => caller.post('/v1/events/replay', { status: 'dead' }, headers),
    ])
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    await findEntry((headers) => caller.delete('/instance/proxy', headers))
    await expectNoEntries([(headers) => caller.delete('/instance/proxy', headers)])
    await findEntry((headers) => caller.post('/instance/connect', {}, headers))
    await until(async () => (await caller.get('/instance/status')).body.pairing)
    await until(async () => (await device.caller.get('/instance/status')).body.loggedIn)
    await expectNoEntries([
      (headers) => caller.post('/instance/connect', {}, headers),
      (headers) => device.caller.post('/instance/connect', {}, headers),
    ])
  })

  test('a replay that only counts', async () => {
    const { body } = await device.caller.post('/v1/events/replay', { fromSeq: 1, dryRun: true })
    expect(body.matched).toBeGreaterThan(0)
    await expectNoEntries([
      (headers) => device.caller.post('/v1/events/replay', { fromSeq: 1, dryRun: true }, headers),
    ])
  })
})

describe('one caller cannot fill the log', () => {
  test('the same refusal is logged once a minute', async () => {
    const { id, caller } = await createDevice(world)
    const wish = { ...webhook, action: 'update', id: crypto.randomUUID() }
    for (let time = 0; time < 5; time++) expect((await caller.post('/webhook', wish)).status).toBe(404)
    for (let time = 0; time < 5; time++) expect((await caller.post('/instance/restart')).status).toBe(409)
    await until(async () => (await listEntries(`actorId=${id}`)).length >= 2)
    await expectNoEntries([(headers) => caller.post('/webhook', wish, headers)])
    const outcomes = (await listEntries(`actorId=${id}`)).map(({ outcome }: { outcome: string }) => outcome)
    expect(outcomes).toEqual(['not_connected', 'not_found'])
  })

  test('refusals of one token for different ids are logged sixty times a minute', async () => {
    const { body } = await world.admin.post('/v1/tokens', { name: 'Reader', scope: 'read' })
    const reader = createCaller(world.run.baseUrl, { admintoken: body.token })
    const deletions = Array.from({ length: 80 }, () => reader.delete(`/v1/instances/${crypto.randomUUID()}`))
    for (const { status } of await Promise.all(deletions)) expect(status).toBe(403)
    await until(async () => (await listEntries(`actorId=${body.record.id}`)).length === 60)
    await expectNoEntries([(headers) => reader.delete(`/v1/instances/${crypto.randomUUID()}`, headers)])
    expect(await listEntries(`actorId=${body.record.id}`)).toHaveLength(60)
  })

  test('all changes by the token of an instance are made, and sixty a minute are logged', async () => {
    const { id, caller } = await createDevice(world)
    for (let time = 0; time < 70; time++)
      expect((await renameInstance(caller, `Name ${time}`)).body.name).toBe(`Name ${time}`)
    expect(await listEntries(`actorId=${id}`)).toHaveLength(60)
    const byAdmin = await findEntry((headers) => world.admin.post(`/v1/instances/${id}/token`, {}, headers))
    expect(byAdmin.entry).toMatchObject({ action: 'instance.token', target: id })
  })

  const renameInstance = (caller: Caller, name: string) =>
    caller.post('/instance/updateInstanceName', { name })
})

test('text that a caller sends in place of an id is not logged', async () => {
  const { body } = await world.admin.post('/v1/tokens', { name: 'Reader', scope: 'read' })
  const reader = createCaller(world.run.baseUrl, { admintoken: body.token })
  const words = [device.token, body.token, 'marker of a name', '5511988887777', 'x'.repeat(36)]
  for (const word of words) {
    const path = `/v1/instances/${encodeURIComponent(word)}`
    expect((await reader.delete(path)).status).toBe(403)
  }
  const named = await findEntry((headers) =>
    reader.delete(`/v1/instances/${device.id.toUpperCase()}`, headers),
  )
  expect(named.entry.target).toBe(device.id)
  const targets = (await listEntries(`actorId=${body.record.id}`)).map(
    ({ target }: { target: string }) => target,
  )
  expect(new Set(targets)).toEqual(new Set(['', device.id]))
})
