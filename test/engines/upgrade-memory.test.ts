// Requests that offer an upgrade or ask by HEAD, for a large file: its bytes are neither collected nor fetched, and they count as others.

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { startFileServer } from '../file-server.ts'
import {
  formatRequest,
  openConnection,
  type RawRequest,
  readStatuses,
  upgradeHeaders,
} from '../raw-request.ts'
import { startScene } from '../scene.ts'
import { until } from '../until.ts'

const MIB = 1024 * 1024
const FILE_BYTES = 30 * MIB
const REQUESTS = 24
const REQUEST_RATE = 60

const files = await startFileServer()
const { world, device } = await startScene({
  ACTION_TIMEOUT_MS: '40000',
  REQUEST_RATE: String(REQUEST_RATE),
})
const { baseUrl } = world.run

const friend = await createPhone(world)
const sent = await device.caller.post('/send/media', {
  number: friend,
  type: 'document',
  file: files.serveFile('/large.bin', randomBytes(FILE_BYTES), 'application/octet-stream'),
  docName: 'large.bin',
})
const { fileURL } = (await device.caller.post('/message/download', { id: sent.body.id })).body
const link = fileURL.slice(new URL(fileURL).origin.length)

const readMemory = (): number =>
  1024 *
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${world.findPid('edge')}/status`, 'utf8'))?.[1])

async function readMetric(pattern: RegExp): Promise<number> {
  const text = await (await fetch(`${world.run.edgeMetricsUrl}/metrics`)).text()
  return Number(pattern.exec(text)?.[1] ?? 0)
}
const countServed = () => readMetric(/^edge_requests_total\{status="200"\} (\d+)/m)

/** Opens as many connections, reads nothing after the heads of the responses, and returns what the edge has in memory then. */
async function holdResponses(request: RawRequest): Promise<number> {
  const heads: string[] = []
  const sockets = Array.from({ length: REQUESTS }, () => openConnection(baseUrl))
  for (const socket of sockets) {
    socket.write(formatRequest(request))
    socket.once('data', (chunk) => {
      socket.pause()
      heads.push(chunk.toString('latin1').slice(0, 12))
    })
  }
  await until(() => heads.length === REQUESTS, { within: 120_000 })
  const held = readMemory()
  for (const socket of sockets) socket.destroy()
  expect(new Set(heads)).toEqual(new Set(['HTTP/1.1 200']))
  return held
}

test('a large file that is asked for with an upgrade is streamed as without it', async () => {
  expect(sent.status).toBe(200)
  const before = readMemory()
  const served = await countServed()
  const held = await holdResponses({ method: 'GET', target: link, headers: upgradeHeaders })
  const more = Math.round((held - before) / MIB)
  expect(more).toBeLessThan(80)
  expect(await countServed()).toBe(served + REQUESTS)
}, 150_000)

test('large files that are asked for behind one another, and not read, are not collected', async () => {
  const before = readMemory()
  const served = await countServed()
  const socket = openConnection(baseUrl)
  const one = Promise.withResolvers<void>()
  socket.once('data', () => {
    socket.pause()
    one.resolve()
  })
  socket.write(formatRequest({ method: 'GET', target: link }).repeat(REQUESTS))
  await one.promise
  await until(async () => (await countServed()) === served + REQUESTS, { within: 30_000 })
  const more = Math.round((readMemory() - before) / MIB)
  socket.destroy()
  expect(more).toBeLessThan(80)
})

test('HEAD of a media link says what the file is, and fetches no byte of it', async () => {
  await world.sim('POST', '/faults', { kind: 'media', code: 500, count: 100 })
  const head = await fetch(fileURL, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-type')]).toEqual([200, 'application/octet-stream'])
  expect(head.headers.get('content-disposition')).toContain('large.bin')
  expect((await fetch(fileURL)).status).toBe(502)
  await world.sim('DELETE', '/faults')
})

test('HEAD of a stream opens none', async () => {
  const countOpened = () =>
    readFileSync(join(world.dataDir, 'logs', 'edge.log'), 'utf8').match(/stream opened/g)?.length
  const url = `${baseUrl}/v1/events/stream`
  const headers = { token: device.token }
  const leaving = new AbortController()
  await fetch(url, { headers, signal: leaving.signal })
  await until(() => countOpened() === 1)
  const head = await fetch(url, { method: 'HEAD', headers })
  expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  await fetch(url, { headers, signal: leaving.signal })
  await until(() => countOpened() === 2)
  leaving.abort()
})

test('requests with an upgrade count against the rate of their token', async () => {
  const request = {
    method: 'GET',
    target: '/instance/status',
    headers: { token: device.token, ...upgradeHeaders },
  }
  const statuses: (number | undefined)[] = []
  for (let sentRequests = 0; sentRequests <= REQUEST_RATE; sentRequests++)
    statuses.push((await readStatuses(baseUrl, formatRequest(request)))[0])
  expect(statuses.at(-1)).toBe(429)
  expect((await fetch(`${baseUrl}/instance/status`, { headers: { token: device.token } })).status).toBe(429)
})
