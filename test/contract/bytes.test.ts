// How few bytes go over the wire: 304 for what has not changed, and compressed lists, pages and scripts.

import { readFileSync } from 'node:fs'
import { get, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { entries } from '@msgnet/openapi/document.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { type ApiResponse, createPlainCaller } from '../caller.ts'
import { createDevice, type Device } from '../device.ts'
import { until } from '../until.ts'
import { asDeployed } from '../world.ts'

let world: BorrowedWorld
let device: Device

beforeAll(async () => {
  world = await borrowWorld()
  device = await createDevice(world)
})
afterAll(() => world.close())

const conditional = entries
  .filter(({ operation }) => operation.conditional)
  .map(({ path, operation: { auth } }) => [path, auth] as const)

const request = (path: string, auth: string, headers?: Record<string, string>): Promise<ApiResponse> =>
  (auth === 'instance' ? device.caller : world.admin).get(path.replace('{id}', device.id), headers)

test.each(conditional)('GET %s is 304 without a body while nothing has changed', async (path, auth) => {
  const [first, again] = await until(async () => {
    const first = await request(path, auth)
    const tag = first.headers.get('etag') ?? ''
    expect([first.status, tag]).toEqual([200, expect.stringMatching(/^W\/"[0-9a-f]{32}"$/)])
    const again = await request(path, auth, { 'if-none-match': `"other", ${tag}` })
    return again.status === 304 && [first, again]
  })
  expect([again.text, again.headers.get('etag')]).toEqual(['', first.headers.get('etag')])
  expect(again.headers.get('cache-control')).toMatch(/^(private, no-cache|public, max-age=300)$/)
  expect(again.headers.get('x-request-id')).toBeTruthy()
  const other = await request(path, auth, { 'if-none-match': 'W/"0"' })
  expect([other.status, other.text.length > 0]).toEqual([200, true])
})

test('what a console asks again and again is conditional', () => {
  expect(conditional.map(([path]) => path)).toEqual(
    expect.arrayContaining(
      ['overview', 'instances', 'instances/{id}', 'events', 'webhook', 'hosts']
        .map((path) => `/v1/${path}`)
        .concat('/webhook', '/docs', '/openapi.json'),
    ),
  )
})

test('a change has another tag, and the time of counting is no change', async () => {
  const paths = ['/v1/instances', `/v1/instances/${device.id}`, '/v1/overview']
  const readOverview = () => world.admin.get('/v1/overview')
  // What another file does in between is a change.
  let last = await readOverview()
  await until(async () => {
    const [former, overview] = [last, await readOverview()]
    if (overview.body.at === former.body.at) return false
    last = overview
    return overview.headers.get('etag') === former.headers.get('etag')
  })
  const before = await Promise.all(paths.map((path) => world.admin.get(path)))
  await device.caller.post('/webhook', { url: 'http://127.0.0.1:9/hook', events: 'all' })
  for (const [at, path] of paths.entries()) {
    const tag = before[at]?.headers.get('etag') ?? ''
    const changed = await until(async () => {
      const response = await world.admin.get(path, { 'if-none-match': tag })
      return response.status === 200 && response
    })
    expect(changed.headers.get('etag')).not.toBe(tag)
  }
})

interface Received {
  status: number | undefined
  headers: IncomingHttpHeaders
  bytes: Buffer
}

/** As it comes over the wire. */
const readWire = (path: string, headers: Record<string, string>) =>
  new Promise<Received>((resolve, reject) => {
    get(world.run.baseUrl + path, { headers }, (response) => {
      buffer(response).then(
        (bytes) => resolve({ status: response.statusCode, headers: response.headers, bytes }),
        reject,
      )
    }).on('error', reject)
  })

const decoders = { br: brotliDecompressSync, gzip: gunzipSync, identity: (bytes: Buffer) => bytes }

async function readDecoded(path: string, accepted: string, headers: Record<string, string> = {}) {
  const received = await readWire(path, { 'accept-encoding': accepted, ...headers })
  const encoding = (received.headers['content-encoding'] ?? 'identity') as keyof typeof decoders
  return { ...received, encoding, text: decoders[encoding](received.bytes).toString() }
}

const readAdminToken = () => ({
  admintoken: readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim(),
})

/** On Cloudflare the platform compresses. */
const whereTheEdgeCompresses = test.skipIf(asDeployed)

whereTheEdgeCompresses(
  'pages, their script, the document and lists are compressed as the caller accepts',
  async () => {
    const page = (await readDecoded('/console', 'identity')).text
    // Of those that the page begins with, its own is too short.
    const script = /(?<=modulepreload" href=")[^"]+/.exec(page)?.[0] ?? ''
    for (const path of [script, '/docs', '/openapi.json', '/v1/capabilities', '/v1/overview']) {
      const plain = await readDecoded(path, 'identity', readAdminToken())
      expect([path, plain.status, plain.headers.vary]).toEqual([
        path,
        200,
        expect.stringMatching(/Accept-Encoding/),
      ])
      for (const [accepted, encoding] of [
        ['gzip, deflate, br', 'br'],
        ['gzip;q=1.0, br;q=0', 'gzip'],
        ['GZIP', 'gzip'],
        ['deflate, br;q=0, gzip;q=0.0', 'identity'],
      ] as const) {
        const received = await readDecoded(path, accepted, readAdminToken())
        expect([path, accepted, received.encoding]).toEqual([path, accepted, encoding])
        if (path !== '/v1/overview') expect(received.text).toBe(plain.text)
        if (encoding !== 'identity') expect(received.bytes.length).toBeLessThan(plain.bytes.length)
      }
    }
  },
)

const addManyInstances = () =>
  world.queryDatabase(`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 2500)
    insert or ignore into instances (id, kind, name, token_hash, created_at, updated_at)
    select printf('%08x-0000-4000-8000-000000000000', n), 'msgnet', 'Many ' || n, 'hash ' || n, n, n from numbers`)

whereTheEdgeCompresses('a long list that is sent page by page is compressed whole', async () => {
  await addManyInstances()
  const { encoding, text, bytes } = await readDecoded('/instance/all', 'gzip', readAdminToken())
  expect([encoding, JSON.parse(text).length]).toEqual(['gzip', 2501])
  expect(bytes.length).toBeLessThan(text.length / 10)
  const other = await readDecoded('/instance/all', 'br', readAdminToken())
  expect([other.encoding, other.text]).toEqual(['identity', text])
})

test('the pages of a long list have each instance once', async () => {
  await addManyInstances()
  const names: string[] = []
  for (let after = ''; ; ) {
    const { body } = await world.admin.get(`/v1/instances?search=many&sort=-created&limit=200&after=${after}`)
    expect(body.total).toBe(2500)
    names.push(...body.instances.map(({ name }: { name: string }) => name))
    after = body.next
    if (!after) break
  }
  expect(names).toEqual(Array.from({ length: 2500 }, (_, n) => `Many ${2500 - n}`))
})

whereTheEdgeCompresses('short answers, a status and what is not read are not compressed', async () => {
  await device.caller.post('/instance/connect')
  await until(async () => (await device.caller.get('/instance/status')).body.pairing)
  const accepting = { 'accept-encoding': 'gzip', token: device.token }
  for (const path of ['/health/live', '/instance/status', '/v1/webhook'])
    expect([path, (await readDecoded(path, 'gzip', { ...accepting, ...readAdminToken() })).encoding]).toEqual(
      [path, 'identity'],
    )
  const posted = await device.caller.post('/instance/restart', {}, { 'accept-encoding': 'gzip' })
  expect(posted.headers.get('content-encoding')).toBe(null)
})

whereTheEdgeCompresses('an answer in the form of the API family stays plain and has no tag', async () => {
  const family = await borrowWorld({ COMPATIBILITY: 'uazapi' })
  try {
    const { token } = await createDevice(family)
    const caller = createPlainCaller(family.run.baseUrl, { token })
    const { body, headers } = await caller.get('/webhook', {
      'accept-encoding': 'gzip',
      'if-none-match': '*',
    })
    expect([headers.get('content-encoding'), headers.get('etag'), body]).toEqual([
      null,
      null,
      expect.any(Array),
    ])
  } finally {
    await family.close()
  }
})
