// The audit log: who did what, from where, and what came of it; added to and read, never changed.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { type ApiResponse, type Caller, createCaller } from '../caller.ts'
import { createDevice, type Device } from '../device.ts'
import { until } from '../until.ts'

let world: BorrowedWorld
let deploys: { id: string; token: string; caller: Caller }
let device: Device
/** As of the entries of this file. */
let began = ''

beforeAll(async () => {
  world = await borrowWorld()
  began = new Date().toISOString()
  deploys = await createToken('Deploys', 'admin')
  device = await createDevice(world, 'Marker of a name')
})

afterAll(() => world.close())

async function createToken(name: string, scope: string) {
  const { body } = await world.admin.post('/v1/tokens', { name, scope })
  const caller = createCaller(world.run.baseUrl, { admintoken: body.token })
  return { id: body.record.id as string, token: body.token as string, caller }
}

const listEntries = async (query: string) => (await world.admin.get(`/v1/audit?${query}`)).body.entries

/** The one entry of a request, waited for: that of a refusal is written behind the answer. */
async function findEntry(sendRequest: (headers: Record<string, string>) => Promise<unknown>) {
  const requestId = crypto.randomUUID()
  const response = (await sendRequest({ 'x-request-id': requestId })) as ApiResponse
  expect(response.status, response.text).not.toBe(400)
  const entries = await until(async () => {
    const found = await listEntries(`requestId=${requestId}`)
    return found.length > 0 && found
  })
  expect(entries).toHaveLength(1)
  return { entry: entries[0], response }
}

test('each entry has actor, address, action, target, time, request id and outcome', async () => {
  const before = Date.now()
  const { entry, response } = await findEntry((headers) =>
    deploys.caller.post('/instance/init', { name: 'Shop' }, headers),
  )
  expect(entry).toEqual({
    seq: expect.any(Number),
    at: expect.any(String),
    action: 'instance.create',
    actor: 'token',
    actorId: deploys.id,
    actorName: 'Deploys',
    as: '',
    target: response.body.instance.id,
    address: expect.stringMatching(/^(127\.0\.0\.1|::1|unknown)$/),
    requestId: expect.any(String),
    outcome: 'done',
  })
  expect(Date.parse(entry.at)).toBeGreaterThanOrEqual(before - 1000)
})

const webhook = { url: 'http://127.0.0.1:9/', events: 'all', secret: 'marker-of-a-secret' }
const proxy = { enable: true, proxy_url: 'socks5://somebody:marker-of-a-password@127.0.0.1:9999' }

describe('completed acts', () => {
  test('an instance changes its webhook and proxy, disconnects and is deleted', async () => {
    const { id, caller } = await createDevice(world)
    // Otherwise there would be nothing to disconnect.
    await caller.post('/instance/connect')
    const steps = [
      ['webhook.change', (headers: object) => caller.post('/webhook', webhook, { ...headers })],
      ['webhook.change', (headers: object) => caller.post('/webhook', { action: 'inherit' }, { ...headers })],
      ['webhook.change', (headers: object) => caller.post('/webhook', { action: 'delete' }, { ...headers })],
      ['proxy.change', (headers: object) => caller.post('/instance/proxy', proxy, { ...headers })],
      ['proxy.remove', (headers: object) => caller.delete('/instance/proxy', { ...headers })],
      ['instance.disconnect', (headers: object) => caller.post('/instance/disconnect', {}, { ...headers })],
      ['instance.delete', (headers: object) => caller.delete('/instance', { ...headers })],
    ] as const
    for (const [action, sendRequest] of steps) {
      const { entry } = await findEntry(sendRequest)
      expect(entry).toMatchObject({ action, actor: 'instance', actorId: id, target: id, outcome: 'done' })
    }
  })

  test('the token of the environment changes the server’s webhook, tokens, hosts and draining', async () => {
    const { id } = await createDevice(world)
    const host = (await world.admin.post('/v1/hosts', { region: 'here' })).body.host.id
    const token = (await createToken('Short', 'read')).id
    const steps = [
      ['server.webhook', '', 'POST', '/v1/webhook', webhook],
      ['server.webhook', '', 'POST', '/v1/webhook', { action: 'delete' }],
      ['instance.token', id, 'POST', `/v1/instances/${id}/token`, {}],
      ['instance.delete', id, 'DELETE', `/v1/instances/${id}`, undefined],
      ['token.renew', token, 'POST', `/v1/tokens/${token}/token`, { overlap: 5 }],
      ['token.delete', token, 'DELETE', `/v1/tokens/${token}`, undefined],
      ['host.slots', host, 'POST', `/v1/hosts/${host}/slots`, { slots: 5 }],
      ['host.drain', host, 'POST', `/v1/hosts/${host}/drain`, {}],
      ['host.undrain', host, 'DELETE', `/v1/hosts/${host}/drain`, undefined],
      ['host.token', host, 'POST', `/v1/hosts/${host}/token`, {}],
      ['host.delete', host, 'DELETE', `/v1/hosts/${host}`, undefined],
    ] as const
    for (const [action, target, method, path, body] of steps) {
      const { entry } = await findEntry((headers) => world.admin.request(method, path, body, headers))
      expect(entry).toMatchObject({
        action,
        target,
        actor: 'root',
        actorId: '',
        actorName: '',
        outcome: 'done',
      })
    }
    const made = await findEntry((headers) =>
      world.admin.post('/v1/tokens', { name: 'Another', scope: 'read' }, headers),
    )
    expect(made.entry).toMatchObject({ action: 'token.create', target: made.response.body.record.id })
    const registered = await findEntry((headers) => world.admin.post('/v1/hosts', { region: 'x' }, headers))
    expect(registered.entry).toMatchObject({
      action: 'host.create',
      target: registered.response.body.host.id,
    })
  })
})

describe('refused acts', () => {
  test('a refused change is logged with its error code', async () => {
    const reader = await createToken('Reader', 'read')
    const missingId = crypto.randomUUID()
    const forbidden = await findEntry((headers) =>
      reader.caller.delete(`/v1/instances/${device.id}`, headers),
    )
    expect(forbidden.entry).toMatchObject({
      action: 'instance.delete',
      actorName: 'Reader',
      target: device.id,
      outcome: 'not_admin',
    })
    const nowhere = await findEntry((headers) => world.admin.delete(`/v1/hosts/${missingId}`, headers))
    expect(nowhere.entry).toMatchObject({ action: 'host.delete', target: missingId, outcome: 'not_found' })
  })

  test('unreadable requests, unknown callers and repeated responses are not logged', async () => {
    const key = { 'idempotency-key': crypto.randomUUID() }
    const first = await findEntry((headers) =>
      deploys.caller.post('/instance/init', { name: 'Once' }, { ...headers, ...key }),
    )
    const { seq } = first.entry
    await deploys.caller.post('/instance/init', { name: 'Once' }, key)
    await deploys.caller.post('/instance/init', { name: '' })
    await world.callAs('').post('/instance/init', { name: 'Shop' }, { admintoken: 'mga_wrong' })
    // What comes behind them is there: so they will not come.
    const last = await findEntry((headers) =>
      deploys.caller.delete(`/v1/hosts/${crypto.randomUUID()}`, headers),
    )
    const since = await listEntries(`afterSeq=${seq}`)
    expect(since.map(({ seq }: { seq: number }) => seq)).toEqual([last.entry.seq])
  })
})

test('the log is read in pages, in both orders, with filters', async () => {
  // A borrowed gateway has the entries of other files too, and a page may be full of them.
  const listOwn = (filter: string) => listEntries(`limit=200&since=${encodeURIComponent(began)}${filter}`)
  const all = await listOwn('')
  const seqs = all.map(({ seq }: { seq: number }) => seq)
  expect(seqs).toEqual([...seqs].sort((a, b) => b - a))
  expect(await listEntries('limit=2')).toEqual(all.slice(0, 2))
  expect(await listEntries(`limit=2&beforeSeq=${seqs[1]}`)).toEqual(all.slice(2, 4))
  expect(await listEntries(`limit=2&afterSeq=${seqs[3]}`)).toEqual([all[2], all[1]])
  // biome-ignore lint/suspicious/noExplicitAny: entries as they were answered.
  const findOnly = (fits: (entry: any) => boolean) => all.filter(fits)
  expect(await listOwn('&action=token.create')).toEqual(findOnly((one) => one.action === 'token.create'))
  expect(await listOwn('&actor=instance')).toEqual(findOnly((one) => one.actor === 'instance'))
  expect(await listOwn(`&actorId=${deploys.id}`)).toEqual(findOnly((one) => one.actorId === deploys.id))
  expect(await listOwn(`&target=${device.id}`)).toEqual(findOnly((one) => one.target === device.id))
  expect(await listOwn('&outcome=not_admin')).toEqual(findOnly((one) => one.outcome === 'not_admin'))
  const at = encodeURIComponent(all[3].at)
  expect(await listEntries(`limit=200&since=${at}`)).toEqual(findOnly((one) => one.at >= all[3].at))
  expect(await listOwn(`&until=${at}`)).toEqual(findOnly((one) => one.at < all[3].at))
  for (const query of ['limit=0', 'limit=201']) {
    expect((await world.admin.get(`/v1/audit?${query}`)).body.error).toBe('invalid_limit')
  }
  for (const query of ['action=dance', 'since=yesterday', 'afterSeq=x', 'actor=nobody'])
    expect((await world.admin.get(`/v1/audit?${query}`)).body.error).toBe('invalid_query')
  const unknown = (await world.admin.get('/v1/audit?from=2026-09-17T09:00:00Z')).body
  expect([unknown.error, unknown.message]).toEqual(['invalid_query', expect.stringMatching(/^from must /)])
})

test('the log contains no token, secret, password or instance name', async () => {
  const text = JSON.stringify(await world.queryDatabase('select * from audit'))
  expect(text).toContain('webhook.change')
  expect(text).not.toMatch(/marker/i)
  expect(text).not.toMatch(/mg[aih]_/)
})

test('an entry cannot be changed, nor deleted before its time', async () => {
  const [newest] = await listEntries('limit=1')
  await expect(
    world.queryDatabase(`update audit set actor = 'root' where seq = ${newest.seq}`),
  ).rejects.toThrow('append only')
  await expect(world.queryDatabase(`delete from audit where seq = ${newest.seq}`)).rejects.toThrow(
    'append only',
  )
  expect(await listEntries('limit=1')).toEqual([newest])
})

test('a change that cannot be logged is not made', async () => {
  const before = (await world.admin.get('/instance/all')).body
  await world.queryDatabase(
    `create trigger no_room before insert on audit when new.outcome = 'done' begin select raise(abort, 'no room'); end`,
  )
  try {
    const { entry, response } = await findEntry((headers) =>
      deploys.caller.post('/instance/init', { name: 'Unlogged' }, headers),
    )
    expect([response.status, response.body.error]).toEqual([502, 'storage_unavailable'])
    expect(entry).toMatchObject({ action: 'instance.create', outcome: 'storage_unavailable' })
    expect((await world.admin.get('/instance/all')).body).toEqual(before)
  } finally {
    await world.queryDatabase('drop trigger no_room')
  }
})
