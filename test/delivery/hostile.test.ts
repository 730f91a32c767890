// Receivers that break the protocol on purpose: each attempt ends, is recorded with its reason, and delays no other receiver.
// @module-tag slow

import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevice, type Device } from '../device.ts'
import { startWorld, type World } from '../world.ts'

type Manner = (socket: Socket) => void

/** Writes this again and again, at this rate. */
const repeatWriting =
  (first: string, then: string, everyMs: number): Manner =>
  (socket) => {
    socket.write(first)
    const timer = setInterval(() => socket.writable && socket.write(then), everyMs)
    socket.on('close', () => clearInterval(timer))
  }

const respondOnce =
  (response: string, after: 'end' | 'destroy' | 'stay'): Manner =>
  (socket) =>
    socket.write(response, () => {
      if (after === 'end') socket.end()
      // Later than what was written, so that it arrives.
      if (after === 'destroy') setImmediate(() => socket.resetAndDestroy())
    })

const OK = 'HTTP/1.1 200 OK\r\n'
const EMPTY = 'content-length: 0\r\n\r\n'

const manners: Record<string, [Manner, { delivered: boolean; status: number; error: string | RegExp }]> = {
  'a success whose body never comes': [
    respondOnce(`${OK}content-length: 5\r\n\r\n`, 'stay'),
    { delivered: false, status: 0, error: 'timeout' },
  ],
  'headers a byte at a time': [
    repeatWriting(`${OK}x-slow: `, 'a', 100),
    { delivered: false, status: 0, error: 'timeout' },
  ],
  'interim answers without end': [
    repeatWriting('', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100), 10),
    { delivered: false, status: 0, error: 'connection_lost' },
  ],
  'a header of ten megabytes': [
    respondOnce(`${OK}x-huge: ${'a'.repeat(10_000_000)}\r\n${EMPTY}`, 'stay'),
    { delivered: false, status: 0, error: /connection_lost|unreachable/ },
  ],
  'a reset in the middle of the answer': [
    respondOnce(`${OK}content-length: 100\r\n\r\nhalf`, 'destroy'),
    { delivered: false, status: 0, error: /connection_lost|unreachable/ },
  ],
  'a body that ends before its length': [
    respondOnce(`${OK}content-length: 100\r\n\r\nhalf`, 'end'),
    { delivered: false, status: 0, error: /connection_lost|unreachable/ },
  ],
  'chunks that are none': [
    respondOnce(`${OK}transfer-encoding: chunked\r\n\r\nzzz\r\n`, 'end'),
    { delivered: false, status: 0, error: /connection_lost|unreachable/ },
  ],
  'what is no HTTP': [
    respondOnce('SSH-2.0-OpenSSH_9.2\r\n', 'end'),
    { delivered: false, status: 0, error: /connection_lost|unreachable/ },
  ],
  'nothing but an end': [
    respondOnce('', 'end'),
    { delivered: false, status: 0, error: /connection_lost|unreachable/ },
  ],
  'HTTP/1.0 with a body up to its end': [
    respondOnce('HTTP/1.0 200 OK\r\n\r\nthanks', 'end'),
    { delivered: true, status: 200, error: '' },
  ],
  'a status that there is not': [
    respondOnce(`HTTP/1.1 999 Whatever\r\n${EMPTY}`, 'end'),
    { delivered: false, status: 999, error: 'status_999' },
  ],
  'a change of protocol': [
    respondOnce('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n', 'stay'),
    { delivered: false, status: 101, error: 'status_101' },
  ],
}

let world: World
const servers: Server[] = []
const sockets = new Set<Socket>()
const receivers = new Map<string, { device: Device; place: string }>()

async function startServer(manner: Manner): Promise<string> {
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => manner(socket))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

beforeAll(async () => {
  const places = await Promise.all(Object.values(manners).map(([manner]) => startServer(manner)))
  world = await startWorld({ WEBHOOK_ALLOWLIST: places.join() })
  for (const [n, name] of Object.keys(manners).entries()) {
    const device = await createDevice(world)
    await device.caller.post('/webhook', { url: `http://${places[n]}/`, events: 'all' })
    receivers.set(name, { device, place: places[n] ?? '' })
  }
})

afterAll(async () => {
  await world.close()
  for (const socket of sockets) socket.destroy()
  for (const server of servers) server.close()
})

test.concurrent.each(Object.entries(manners))('%s', async (name, [, expected]) => {
  const { device } = receivers.get(name) ?? {}
  const response = await device?.caller.post('/webhook/test')
  expect(response?.status).toBe(200)
  expect(response?.body).toMatchObject({
    delivered: expected.delivered,
    status: expected.status,
    error: typeof expected.error === 'string' ? expected.error : expect.stringMatching(expected.error),
  })
})

test.concurrent('TLS with a receiver that does not speak TLS', async () => {
  const { device, place } = receivers.get('what is no HTTP') ?? {}
  const other = await createDevice(world)
  await other.caller.post('/webhook', { url: `https://${place}/`, events: 'all' })
  expect(device).toBeDefined()
  expect((await other.caller.post('/webhook/test')).body).toMatchObject({
    delivered: false,
    status: 0,
    error: 'tls_failed',
  })
})
