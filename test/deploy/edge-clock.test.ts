// What a supervisor tells the edge of itself with each tick, as a listener in the edge's place hears it.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type EdgeClock, startClock } from '../../local/parts/edge-clock.ts'
import { residentOf } from '../../local/processes/resident.ts'
import { until } from '../until.ts'

/** Headers of the ticks so far. */
let ticks: IncomingHttpHeaders[] = []
/** Probes that were not answered yet, while answers are held back. */
let held: ServerResponse[] = []
let holding = false
let clock: EdgeClock | undefined

const server = createServer((request, response) => {
  if (request.method === 'POST' && request.url === '/tick') ticks.push(request.headers)
  if (request.url === '/probe' && holding) held.push(response)
  else response.writeHead(204).end()
})

beforeEach(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))

afterEach(async () => {
  clock?.stop()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  ;[ticks, held, holding] = [[], [], false]
})

const start = (resident: () => number | undefined) => {
  clock = startClock((server.address() as AddressInfo).port, resident, { tickMs: 40, probeMs: 10 })
}

test('each tick tells the space on the disk, and when the last backup was made', async () => {
  const folder = () => ({ freeBytes: 5, sizeBytes: 9, lastBackupMs: 7 })
  const { port } = server.address() as AddressInfo
  clock = startClock(port, () => undefined, { tickMs: 40, probeMs: 10, folder })
  await until(() => ticks.length > 0)
  expect(ticks[0]).toMatchObject({
    'x-disk-free-bytes': '5',
    'x-disk-size-bytes': '9',
    'x-last-backup-ms': '7',
  })
})

const slowestIn = ({ 'x-slowest-probe-ms': ms }: IncomingHttpHeaders) => Number(ms ?? 0)

test('each tick says what its process holds, and nothing where nobody knows', async () => {
  let bytes: number | undefined
  start(() => bytes)
  await until(() => ticks.length > 0)
  expect(ticks[0]).not.toHaveProperty('x-resident-bytes')
  bytes = 123_456_789
  await until(() => ticks.at(-1)?.['x-resident-bytes'] === '123456789')
})

test('an edge that keeps an empty answer waiting is told for how long, once', async () => {
  holding = true
  start(() => undefined)
  await until(() => held.length > 0)
  const seen = performance.now()
  await until(() => performance.now() - seen > 300)
  holding = false
  const waited = performance.now() - seen
  const before = ticks.length
  held[0]?.writeHead(204).end()
  const late = () => ticks.slice(before).findIndex((headers) => slowestIn(headers) >= waited)
  await until(() => late() >= 0)
  // One probe at a time: none was asked while the first waited.
  expect(held).toHaveLength(1)
  // Another minute is judged by its own probes.
  await until(() => ticks.slice(before + late() + 1).some((headers) => slowestIn(headers) < waited))
})

test.runIf(process.platform === 'linux')(
  'a process of this machine is measured, and one that is not there is not',
  () => {
    expect(residentOf(process.pid)).toBeGreaterThan(10_000_000)
    // No number of a process is so high.
    expect(residentOf(2 ** 22 + 1)).toBeUndefined()
    expect(residentOf(undefined)).toBeUndefined()
  },
)
