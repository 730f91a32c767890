// Which pages of a browser may call tools at `/mcp`: a page of another origin is refused, whatever token it has.

import { type IncomingHttpHeaders, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createDevice, type Device } from '../device.ts'

let world: BorrowedWorld
let device: Device

beforeAll(async () => {
  world = await borrowWorld({
    MCP: 'read',
    CORS_ORIGINS: 'https://tools.example',
    PUBLIC_URL: 'https://gateway.example',
  })
  device = await createDevice(world)
})

afterAll(() => world.close())

interface RawResponse {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

/** By node's own client, because `fetch` writes the Host itself. */
function listTools(
  headers: Record<string, string>,
  credential = { token: device.token },
): Promise<RawResponse> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${world.run.baseUrl}/mcp`,
      { method: 'POST', headers: { ...usual, ...credential, ...headers } },
      async (response) => {
        let text = ''
        for await (const chunk of response) text += chunk
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

test('a request without an Origin is served', async () => {
  expect((await listTools({})).status).toBe(200)
})

test('pages of the gateway and of CORS_ORIGINS are served', async () => {
  const { origin, port } = new URL(world.run.baseUrl)
  for (const own of ['https://tools.example', 'https://gateway.example', origin])
    expect((await listTools({ origin: own })).status, own).toBe(200)
  const named = { host: `localhost:${port}`, origin: `http://localhost:${port}` }
  expect((await listTools(named)).status).toBe(200)
})

test('a page of another origin is 403, also if its name resolves to this machine', async () => {
  const { host, port } = new URL(world.run.baseUrl)
  const foreign = [
    { origin: 'https://evil.example' },
    { origin: 'https://tools.example.evil.example' },
    { origin: 'http://gateway.example' },
    { origin: 'null' },
    { origin: `http://${host}.evil.example` },
    { origin: 'http://localhost:1' },
    { origin: `http://evil.example:${port}`, host: `evil.example:${port}` },
  ]
  for (const headers of foreign) {
    const { status, body } = await listTools(headers)
    expect([headers.origin, status]).toEqual([headers.origin, 403])
    expect(JSON.parse(body)).toMatchObject({ error: 'not_admin', error_key: 'foreign_origin' })
  }
})

test('a page of another origin does not learn whether its token is valid', async () => {
  const { status } = await listTools({ origin: 'https://evil.example' }, { token: 'mgi_wrong' })
  expect(status).toBe(403)
})

test('who authorizes is at PUBLIC_URL, whatever host a request names', async () => {
  const { host } = new URL(world.run.baseUrl)
  const where = 'https://gateway.example/.well-known/oauth-protected-resource/mcp'
  for (const named of [host, 'evil.example']) {
    const { status, headers } = await listTools({ host: named }, { token: 'mgi_wrong' })
    expect(status).toBe(401)
    expect(headers['www-authenticate']).toContain(`resource_metadata="${where}"`)
  }
  const server = await fetch(`${world.run.baseUrl}/.well-known/oauth-authorization-server`)
  expect(await server.json()).toMatchObject({
    issuer: 'https://gateway.example',
    authorization_endpoint: 'https://gateway.example/oauth/authorize',
  })
})

test('a gateway that does not know its address authorizes nothing by a name that anyone may choose', async () => {
  const nameless = await borrowWorld({ MCP: 'read', CORS_ORIGINS: '*' })
  try {
    const { port } = new URL(nameless.run.baseUrl)
    const askAs = (host: string) => readStatus(nameless.run.baseUrl, host)
    expect(await askAs(`evil.example:${port}`)).toBe(404)
    expect(await askAs(`localhost:${port}`)).toBe(200)
  } finally {
    await nameless.close()
  }
})

const readStatus = (baseUrl: string, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const path = '/.well-known/oauth-authorization-server'
    request(baseUrl + path, { headers: { host } }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
      .on('error', reject)
      .end()
  })

test('with CORS_ORIGINS=* every page is served', async () => {
  const open = await borrowWorld({ MCP: 'read', CORS_ORIGINS: '*' })
  try {
    const { token } = await createDevice(open)
    const response = await fetch(`${open.run.baseUrl}/mcp`, {
      method: 'POST',
      headers: {
        token,
        origin: 'https://any.example',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    expect(response.status).toBe(200)
  } finally {
    await open.close()
  }
})
