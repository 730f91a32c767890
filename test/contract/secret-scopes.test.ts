// What an admin token of scope `read` does not see: with what it could link or reach something, the routes that it may call show nothing.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { routes } from '@msgnet/shared/api/api.ts'
import type { Route } from '@msgnet/shared/api/route-declaration.ts'
import { getRequiredScope } from '@msgnet/shared/contract/admin-scope.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { type Caller, createCaller, createPlainCaller } from '../caller.ts'
import { createDevice, type Device } from '../device.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'

const KEY = 'key-of-the-operator'
const PASSWORD = 'password-of-the-proxy'
const RECEIVER = 'http://127.0.0.1:9/hook'

let world: BorrowedWorld
let reads: { token: string; caller: Caller }
let operates: { token: string; caller: Caller }
/** Each is being linked: one by QR code, one by a code that is typed. */
let byQr: Device
let byCode: Device

async function createToken(scope: string) {
  const { token } = (await world.admin.post('/v1/tokens', { name: scope, scope })).body
  return { token, caller: createCaller(world.run.baseUrl, { admintoken: token }) }
}

beforeAll(async () => {
  world = await borrowWorld({
    LOCAL_PROXIES: 'on',
    MCP: 'read',
    MCP_TOOLS: 'admin',
  })
  reads = await createToken('read')
  operates = await createToken('operate')
  byQr = await createDevice(world)
  byCode = await createDevice(world)
  await byQr.caller.post('/webhook', { url: `${RECEIVER}?key=${KEY}`, events: 'all', secret: `${KEY}-2` })
  await world.admin.post('/v1/webhook', { url: `${RECEIVER}?key=${KEY}`, events: 'all', secret: `${KEY}-3` })
  const proxy_url = `socks5://somebody:${PASSWORD}@127.0.0.1:9999`
  await byQr.caller.post('/instance/proxy', { enable: true, proxy_url })
  await byQr.caller.post('/instance/proxy', { enable: false })
  await byQr.caller.post('/instance/connect')
  await byCode.caller.post('/instance/connect', { phone: '5511988887777' })
})

afterAll(() => world.close())

const readInstance = async (caller: Caller, { id }: Device): Promise<Seen> =>
  (await caller.get(`/v1/instances/${id}`)).body
/** What the instance's own token sees, once there is a code. */
const readOwnStatus = ({ caller }: Device): Promise<Seen> =>
  until(async () => {
    const { body } = await caller.get('/instance/status')
    return body.pairing && body
  })

test('pairing codes are shown from scope operate up, and to the instance itself', async () => {
  for (const device of [byQr, byCode]) {
    await readOwnStatus(device)
    expect(await readInstance(operates.caller, device)).toHaveProperty('pairing.expiresAt')
    expect(await readInstance(world.admin, device)).toHaveProperty('pairing.expiresAt')
    const seen = await readInstance(reads.caller, device)
    expect(seen).not.toHaveProperty('pairing')
    expect(seen.instance).toMatchObject({ status: 'connecting', qrcode: '', paircode: '' })
  }
  expect((await readInstance(operates.caller, byQr)).instance.qrcode).toMatch(/^data:image\/png/)
  expect((await readInstance(operates.caller, byCode)).instance.paircode).not.toBe('')
})

test('the query of the server’s webhook is shown from scope operate up', async () => {
  expect((await operates.caller.get('/v1/webhook')).body.url).toBe(`${RECEIVER}?key=${KEY}`)
  expect((await world.admin.get('/v1/webhook')).body.url).toBe(`${RECEIVER}?key=${KEY}`)
  expect((await reads.caller.get('/v1/webhook')).body.url).toBe(RECEIVER)
})

/** Texts that would give access. */
async function listSecrets(): Promise<string[]> {
  const [qr, code] = [await readOwnStatus(byQr), await readOwnStatus(byCode)]
  const shown = [qr.pairing.qr, qr.pairing.qrcode, code.pairing.code]
  const tokens = [byQr.token, byCode.token, reads.token, operates.token]
  return [...shown, ...tokens, KEY, PASSWORD]
}

test('no route that a token of scope read may call shows a secret', async () => {
  const open = Object.values<Route>(routes).filter(
    (route) => route.auth === 'admin' && getRequiredScope(route) === 'read',
  )
  expect(open.length).toBeGreaterThan(5)
  for (const { method, path } of open)
    for (const { id } of [byQr, byCode]) {
      const { status, text } = await reads.caller.request(method, path.replace('{id}', id))
      expect(status, `${method} ${path}`).toBe(200)
      expect((await listSecrets()).filter((secret) => text.includes(secret))).toEqual([])
    }
})

test('no tool of that token shows a secret', async () => {
  const client = new Client({ name: 'a test', version: '1' })
  const requestInit = { headers: { admintoken: reads.token } }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${world.run.baseUrl}/mcp`), { requestInit }),
  )
  const calls = [
    ...[byQr, byCode].map(({ id }) => ({ name: 'getStatusById', arguments: { id } })),
    ...['getServerWebhook', 'searchInstances'].map((name) => ({ name, arguments: {} })),
  ]
  for (const call of calls) {
    const response = await client.callTool(call)
    expect(response.isError).toBeFalsy()
    const text = JSON.stringify(response)
    expect((await listSecrets()).filter((secret) => text.includes(secret))).toEqual([])
  }
  await client.close()
})

test('in the dialect of the API family the query is hidden too', async () => {
  const other = await borrowWorld({ COMPATIBILITY: 'uazapi' })
  const ours = { accept: 'application/json;profile=contract' }
  try {
    const { token } = (await other.admin.post('/v1/tokens', { name: 'Reader', scope: 'read' }, ours)).body
    await other.admin.post('/v1/webhook', { url: `${RECEIVER}?key=${KEY}`, events: 'all' }, ours)
    const { status, text, body } = await createPlainCaller(other.run.baseUrl, { admintoken: token }).get(
      '/globalwebhook',
    )
    expect([status, body.url, text.includes(KEY)]).toEqual([200, RECEIVER, false])
  } finally {
    await other.close()
  }
})
