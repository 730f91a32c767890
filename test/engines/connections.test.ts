// Connections that could block the edge, and requests that no proper client sends: each gets the contract's error, and the edge continues.
// @module-tag slow

import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

function openSocket(): Socket {
  const { hostname, port } = new URL(world.run.baseUrl)
  const socket = connect(Number(port), hostname)
  // Bytes that are sent after a refusal may break the connection: what was received before counts.
  socket.on('error', () => undefined)
  return socket
}

/** Sends these bytes. Returns everything received until the other side ends the connection. */
function exchangeBytes(bytes: string | Uint8Array, { halfClosed = false } = {}): Promise<string> {
  return new Promise((resolve) => {
    let received = ''
    const socket = openSocket()
    socket.once('connect', () => {
      if (halfClosed) socket.end(bytes)
      else socket.write(bytes)
    })
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    socket.once('close', () => resolve(received))
  })
}

interface ParsedResponse {
  status: number
  headers: Headers
  body: { error?: string; status?: string }
}

/** The first response in the received bytes, which has a length. */
function parseResponse(text: string): ParsedResponse {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [line = '', ...lines] = head.split('\r\n')
  const headers = new Headers(lines.map((one) => one.split(/: */, 2) as [string, string]))
  const body = rest.join('\r\n\r\n').slice(0, Number(headers.get('content-length')))
  return { status: Number(line.split(' ')[1]), headers, body: JSON.parse(body || '{}') }
}

const UUID = /^[\da-f]{8}-[\da-f-]{27}$/
const createLiveRequest = (lines: string) => `GET /health/live HTTP/1.1\r\n${lines}connection: close\r\n\r\n`
const createPost = (lines: string, body: string) =>
  `POST /instance/init HTTP/1.1\r\nhost: x\r\n${lines}\r\n${body}`
const createRequest = (text: string, method = 'GET') =>
  `${method} ${text} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`

test('half the head of a request, and a connection that sends nothing, end after a time limit', async () => {
  const late = await Promise.all([
    exchangeBytes('GET /health/live HTTP/1.1\r\nhost: x\r\nx-half: '),
    exchangeBytes(''),
  ])
  for (const response of late) {
    const { status, headers, body } = parseResponse(response)
    expect([status, body.error]).toEqual([408, 'request_timeout'])
    expect(headers.get('x-request-id')).toMatch(UUID)
  }
})

test.each<[string, string | Uint8Array, number, string]>([
  ['a zero in a header', createLiveRequest('host: x\r\nx: a\u0000b\r\n'), 400, 'invalid_request'],
  ['a folded header', createLiveRequest('host: x\r\nx: a\r\n b\r\n'), 400, 'invalid_request'],
  ['a header without a name', createLiveRequest('host: x\r\n: a\r\n'), 400, 'invalid_request'],
  [
    'a head of 48 KiB',
    createLiveRequest(`host: x\r\nx: ${'a'.repeat(48 * 1024)}\r\n`),
    431,
    'head_too_large',
  ],
  ['3,000 headers', createLiveRequest(`host: x\r\n${'a: 12345678\r\n'.repeat(3000)}`), 431, 'head_too_large'],
  ['a URL of 40 KB', createRequest(`/${'a'.repeat(40_000)}`), 431, 'head_too_large'],
  ['no HTTP', 'hello\r\n\r\n', 400, 'invalid_request'],
  ['the beginning of TLS', Buffer.from('16030102000100', 'hex'), 400, 'invalid_request'],
  ['the beginning of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'invalid_request'],
  ['lines that end in LF', 'GET /health/live HTTP/1.1\nhost: x\n\n', 400, 'invalid_request'],
  ['bytes in a path', Buffer.from(createRequest('/health/live\xff'), 'latin1'), 400, 'invalid_request'],
  ['no host', createLiveRequest(''), 400, 'invalid_request'],
  ['two hosts', createLiveRequest('host: x\r\nHost: x\r\n'), 400, 'invalid_request'],
  ['a host that is none', createLiveRequest('host: a/b\r\n'), 400, 'invalid_request'],
  ['a host with a user', createLiveRequest('host: a@b\r\n'), 400, 'invalid_request'],
  [
    'an upgrade to a host that is none',
    createLiveRequest('host: [\r\nconnection: upgrade\r\nupgrade: websocket\r\n'),
    400,
    'invalid_request',
  ],
  ['the target *', createRequest('*', 'OPTIONS'), 400, 'invalid_request'],
  ['a target without a slash', createRequest('health/live'), 400, 'invalid_request'],
  ['a URL with a user', createRequest('http://a:b@x/health/live'), 400, 'invalid_request'],
  ['a URL that is none', createRequest('http://[/health/live'), 400, 'invalid_request'],
  ['a URL of another kind', createRequest('ftp://x/health/live'), 400, 'invalid_request'],
  ['CONNECT', 'CONNECT example.org:443 HTTP/1.1\r\nhost: x\r\n\r\n', 405, 'method_not_allowed'],
  ['TRACE', createRequest('/health/live', 'TRACE'), 405, 'method_not_allowed'],
  [
    'a length and chunks',
    createPost('content-length: 4\r\ntransfer-encoding: chunked\r\n', '0\r\n\r\nGET / HTTP/1.1\r\n\r\n'),
    400,
    'invalid_request',
  ],
  ['two lengths', createPost('content-length: 4\r\ncontent-length: 5\r\n', '{}   '), 400, 'invalid_request'],
  [
    'one length twice',
    createPost('content-length: 2\r\ncontent-length: 2\r\n', '{}'),
    400,
    'invalid_request',
  ],
  ['a length with a sign', createPost('content-length: +2\r\n', '{}'), 400, 'invalid_request'],
  ['an unknown coding', createPost('transfer-encoding: xchunked\r\n', '0\r\n\r\n'), 400, 'invalid_request'],
  [
    'chunked, and not last',
    createPost('transfer-encoding: chunked, identity\r\n', '0\r\n\r\n'),
    400,
    'invalid_request',
  ],
  [
    'a space before the colon',
    createPost('transfer-encoding : chunked\r\n', '0\r\n\r\n'),
    400,
    'invalid_request',
  ],
  ['a chunk that is none', createPost('transfer-encoding: chunked\r\n', 'zz\r\n'), 400, 'invalid_request'],
  [
    'a long extension of a chunk',
    createPost('transfer-encoding: chunked\r\n', `2;${'a'.repeat(20_000)}\r\n{}\r\n`),
    413,
    'body_too_large',
  ],
])('%s is refused with an error of the contract, and the edge goes on', async (_, bytes, status, error) => {
  const response = parseResponse(await exchangeBytes(bytes))
  expect([response.status, response.body.error]).toEqual([status, error])
  expect(response.headers.get('x-request-id')).toMatch(UUID)
  expect(response.headers.get('content-type')).toBe('application/json')
  if (status === 405) expect(response.headers.get('allow')).toContain('GET')
  expect((await world.admin.get('/health/live')).status).toBe(200)
})

test.each<[string, string]>([
  ['HTTP/1.0 without a host', 'GET /health/live HTTP/1.0\r\n\r\n'],
  ['a whole URL', createRequest('http://other.example/health/live')],
  ['a body where none is read', createLiveRequest('host: x\r\ncontent-length: 5\r\n').concat('hello')],
  [
    'an upgrade that is not for this path',
    createLiveRequest('host: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n'),
  ],
  ['an expectation that nobody knows', createLiveRequest('host: x\r\nexpect: 200-ok\r\n')],
  ['more behind the last request', createLiveRequest('host: x\r\n').concat('GET /nowhere HTTP/1.1\r\n\r\n')],
])('%s is answered', async (_, bytes) => {
  const response = parseResponse(await exchangeBytes(bytes))
  expect([response.status, response.body]).toEqual([200, { status: 'live' }])
})

test('a caller that closes its side after the request gets a response that is ready at once', async () => {
  const response = parseResponse(
    await exchangeBytes('GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n', { halfClosed: true }),
  )
  expect([response.status, response.body]).toEqual([200, { status: 'live' }])
})

test('requests that come at once are answered in their order', async () => {
  const received = await exchangeBytes(
    ['/health/live', '/nowhere', '/health/ready']
      .map((path) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
      .join('') + createLiveRequest('host: x\r\n'),
  )
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(
    [200, 404, 200, 200].map((status) => `HTTP/1.1 ${status}`),
  )
  expect(received.match(/"status":"\w+"/g)).toEqual(
    ['live', 'ready', 'live'].map((status) => `"status":"${status}"`),
  )
})

test('a client that offers HTTP/2 is served by HTTP/1.1, its body included', async () => {
  const name = 'Upgrading'
  const body = JSON.stringify({ name })
  const token = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
  const lines = [
    `admintoken: ${token}`,
    'content-type: application/json',
    'connection: upgrade, http2-settings, close',
    'upgrade: h2c',
    'http2-settings: AAMAAABkAARAAAAAAAIAAAAA',
    `content-length: ${body.length}`,
  ]
  const response = parseResponse(
    await exchangeBytes(createPost(lines.map((line) => `${line}\r\n`).join(''), body)),
  )
  expect(response.status).toBe(200)
  expect((await world.admin.get('/instance/all')).body).toMatchObject([{ name }])
})

test('a credential that is sent twice opens no link', async () => {
  const lines = ['Bearer mgh_one', 'Bearer mgh_two'].map((value) => `authorization: ${value}\r\n`).join('')
  const upgrade = 'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n'
  const response = parseResponse(
    await exchangeBytes(
      `GET /hosts/v1/link HTTP/1.1\r\nhost: x\r\n${lines}${upgrade}sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    ),
  )
  expect([response.status, response.body.error]).toEqual([401, 'unauthorized'])
  expect(JSON.stringify(response.body)).toContain('more than once')
})

test('two thousand connections that send nothing do not delay other callers', async () => {
  const idle = Array.from({ length: 2000 }, openSocket)
  await until(() => idle.every(({ connecting }) => !connecting))
  expect(idle.filter(({ destroyed }) => destroyed)).toHaveLength(0)
  expect((await world.admin.get('/health/ready')).status).toBe(200)
  for (const socket of idle) socket.destroy()
})

test('a connection that sends hundreds of requests before the first is answered is closed, and others are served', async () => {
  const request = 'GET /instance/status HTTP/1.1\r\nhost: x\r\ntoken: none\r\n\r\n'
  const received = await exchangeBytes(request.repeat(500))
  expect(received.split('HTTP/1.1 401').length - 1).toBeLessThanOrEqual(32)
  const few = await exchangeBytes(request.repeat(20) + createLiveRequest('host: x\r\n'))
  expect(few.split('HTTP/1.1 401').length - 1).toBe(20)
  expect(few).toContain('HTTP/1.1 200')
})
