// One-time links: who creates them, what their page is told, how each ends, and that their secret is nowhere.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiResponse, createCaller, createPlainCaller } from '../caller.ts'
import { createDevice, createPhone, type Device, waitUntilConnected } from '../device.ts'
import { until } from '../until.ts'
import { asDeployed, everyLine, startWorld, type World } from '../world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld(everyLine)
})

afterAll(() => world.close())

const pickError = ({ status, body }: ApiResponse) => [status, body?.error]
const createLink = async ({ id }: Device, wish: object = {}) =>
  (await world.admin.post(`/v1/instances/${id}/links`, wish)).body
const readSecret = ({ url }: { url: string }) => new URL(url).hash.slice(1)
/** As the page asks. */
const askAs = (secret: string) => createPlainCaller(world.run.baseUrl, { authorization: `Bearer ${secret}` })

test('a link has its secret behind #, is listed without it, and only its digest is stored', async () => {
  const device = await createDevice(world, 'Shop')
  const response = await world.admin.post(`/v1/instances/${device.id}/links`, {
    expiresIn: 60,
    language: 'pt-BR',
  })
  const { url, id, expiresAt, createdAt, language } = response.body
  expect(url).toMatch(/^http:\/\/[^/]+\/link\?language=pt-BR#mgl_[\w-]{43}$/)
  expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(60_000)
  expect(response.headers.get('cache-control')).toBe('no-store')
  const listed = await world.admin.get(`/v1/instances/${device.id}/links`)
  expect(listed.body.links).toEqual([{ id, purpose: 'device', language, createdAt, expiresAt }])
  const rows = await world.queryDatabase('select * from links')
  expect(JSON.stringify(rows)).not.toContain(readSecret(response.body).slice(4))
})

test.each([59, 86_401, 1.5, '60'])('expiresIn %j is 400 invalid_body', async (expiresIn) => {
  const { id } = await createDevice(world)
  expect(pickError(await world.admin.post(`/v1/instances/${id}/links`, { expiresIn }))).toEqual([
    400,
    'invalid_body',
  ])
})

test('a limit that the route does not know is refused, or the link would be open for longer than was meant', async () => {
  const { id } = await createDevice(world)
  const wish = { expiresAt: '2099-01-01T00:00:00Z' }
  expect(pickError(await world.admin.post(`/v1/instances/${id}/links`, wish))).toEqual([400, 'invalid_body'])
})

test('scope operate is required, and no other instance’s link is deleted', async () => {
  const [device, other] = [await createDevice(world), await createDevice(world)]
  const { id } = await createLink(device)
  const { token } = (await world.admin.post('/v1/tokens', { name: 'Reads', scope: 'read' })).body
  const reads = createCaller(world.run.baseUrl, { admintoken: token })
  const at = `/v1/instances/${device.id}/links`
  for (const response of [await reads.post(at), await reads.get(at), await reads.delete(`${at}/${id}`)])
    expect(pickError(response)).toEqual([403, 'not_admin'])
  expect(pickError(await world.admin.delete(`/v1/instances/${other.id}/links/${id}`))).toEqual([
    404,
    'not_found',
  ])
  expect(pickError(await world.admin.delete(`${at}/x`))).toEqual([400, 'invalid_id'])
  expect((await world.admin.get(at)).body.links).toHaveLength(1)
})

test('opening the page and reading its state connect nothing, and the state shows nothing but the name', async () => {
  const device = await createDevice(world, 'Flower shop')
  const link = await createLink(device)
  const page = await fetch(link.url)
  expect(page.headers.get('referrer-policy')).toBe('no-referrer')
  expect(page.headers.get('cache-control')).toBe('no-store')
  expect(page.headers.get('x-robots-tag')).toContain('noindex')
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self'")
  const state = await askAs(readSecret(link)).post('/link/state')
  expect(state.body).toEqual({
    name: 'Flower shop',
    isUsed: false,
    expiresAt: link.expiresAt,
    status: 'disconnected',
    reason: '',
  })
  expect(state.headers.get('cache-control')).toBe('no-store')
  expect((await device.caller.get('/instance/status')).body.instance.status).toBe('disconnected')
})

test('a phone is linked by the link, which then ends with every other of the instance', async () => {
  const device = await createDevice(world)
  const [link, other] = [await createLink(device), await createLink(device)]
  const page = askAs(readSecret(link))
  const requestId = crypto.randomUUID()
  const connected = await page.post('/link/connect', {}, { 'x-request-id': requestId })
  expect(connected.status, connected.text).toBe(200)
  const qr = await until(async () => (await page.post('/link/state')).body.pairing?.qr)
  const number = await createPhone(world, 'Owner')
  await world.sim('POST', `/phones/${number}/scan`, { qr })
  await waitUntilConnected(device)
  for (const each of [link, other]) {
    const state = await until(async () => {
      const { body } = await askAs(readSecret(each)).post('/link/state')
      return body.isUsed && body
    })
    expect(state).not.toHaveProperty('pairing')
  }
  expect(pickError(await page.post('/link/connect'))).toEqual([409, 'session_conflict'])
  expect((await world.admin.get(`/v1/instances/${device.id}/links`)).body.links).toEqual([])
  expect(pickError(await world.admin.post(`/v1/instances/${device.id}/links`))).toEqual([
    409,
    'session_conflict',
  ])
  await device.caller.post('/instance/disconnect')
  // The link that was used does not come back.
  expect(pickError(await page.post('/link/connect'))).toEqual([409, 'session_conflict'])
  const { entries } = (await world.admin.get(`/v1/audit?requestId=${requestId}`)).body
  expect(entries).toMatchObject([
    { action: 'instance.connect', actor: 'link', actorId: link.id, target: device.id, outcome: 'done' },
  ])
})

test('a link that has expired, is deleted, or lost its instance is 401', async () => {
  const devices = [await createDevice(world), await createDevice(world), await createDevice(world)] as const
  const links = await Promise.all(devices.map((device) => createLink(device)))
  const readStates = () => Promise.all(links.map((link) => askAs(readSecret(link)).post('/link/state')))
  expect((await readStates()).map(({ status }) => status)).toEqual([200, 200, 200])
  await world.queryDatabase(`update links set expires_at = 1 where id = '${links[0].id}'`)
  const deleted = await world.admin.delete(`/v1/instances/${devices[1].id}/links/${links[1].id}`)
  expect(deleted.body).toEqual({ response: 'Link deleted' })
  await devices[2].caller.delete('/instance')
  expect((await readStates()).map(pickError)).toEqual(links.map(() => [401, 'unauthorized']))
  const ids = links.map(({ id }) => `'${id}'`).join()
  expect(await world.queryDatabase(`select id from links where id in (${ids})`)).toEqual([
    { id: links[0].id },
  ])
  const { entries } = (await world.admin.get(`/v1/audit?target=${devices[1].id}`)).body
  expect(entries.map(({ action }: { action: string }) => action).slice(0, 2)).toEqual([
    'link.delete',
    'link.create',
  ])
})

test('ten connects of a link in a minute are served, and no secret of another kind is', async () => {
  const device = await createDevice(world)
  const page = askAs(readSecret(await createLink(device)))
  const statuses: number[] = []
  for (let at = 0; at < 11; at++) statuses.push((await page.post('/link/connect', { phone: 'x' })).status)
  expect(new Set(statuses)).toEqual(new Set([400]))
  for (let at = 0; at < 11; at++) statuses.push((await page.post('/link/connect')).status)
  expect(statuses.at(-1)).toBe(429)
  for (const token of [device.token, `mgl_${'x'.repeat(42)}`, ''])
    expect(pickError(await askAs(token).post('/link/state'))).toEqual([401, 'unauthorized'])
})

test('guesses of an address are refused after twenty, and a link that was valid lately is not', async () => {
  const link = await createLink(await createDevice(world))
  expect((await askAs(readSecret(link)).post('/link/state')).status).toBe(200)
  const guess = () =>
    askAs(`mgl_${crypto.randomUUID().replaceAll('-', '').padEnd(43, 'x')}`).post('/link/state')
  const response = await until(async () => {
    const guessed = await guess()
    return guessed.status !== 401 && guessed
  })
  expect(pickError(response)).toEqual([429, 'rate_limited'])
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await askAs(readSecret(link)).post('/link/state')).status).toBe(200)
  const secrets = await createLink(await createDevice(world))
  expect((await askAs(readSecret(secrets)).post('/link/state')).status).toBe(429)
})

test.skipIf(asDeployed)('no log has a secret of a link', async () => {
  const folder = join(world.dataDir, 'logs')
  const logs = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  expect(logs.join('')).toContain('/link/state')
  expect(logs.join('') + world.readOutput()).not.toContain('mgl_')
})
