// The edge's file on a full disk, moved away under a running edge, and damaged: responses, logs and recovery.
// @module-tag slow

import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databasePath } from '@msgnet/cli/data-folder/database-file.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevice, createPhone, type LinkedDevice, linkDevice } from '../device.ts'
import { type Disk, mountDisk } from '../observability/outages/outage.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'

/** A disk of a size of its own takes a mount. */
const mayMount = process.getuid?.() === 0

let world: World
let device: LinkedDevice
let friend: string
let disk: Disk | undefined

beforeAll(async () => {
  world = await startWorld({ WEBHOOK_CHANGE_RATE: '0' })
  if (mayMount)
    await world.killAndRestart(() => {
      const folder = join(world.dataDir, 'database')
      const copy = mkdtempSync(join(tmpdir(), 'copy-'))
      cpSync(folder, copy, { recursive: true })
      disk = mountDisk(folder)
      cpSync(copy, folder, { recursive: true })
      rmSync(copy, { recursive: true })
    })
  device = await linkDevice(world, await createDevice(world))
  friend = await createPhone(world)
})

afterAll(async () => {
  await world.close().catch(() => undefined)
  disk?.unmountDisk()
  rmSync(world.dataDir, { recursive: true, force: true })
})

/** Each changes something, and needs room in the log of the database. */
async function saveWebhook(): Promise<number> {
  const url = `https://hooks.example.org/${crypto.randomUUID().repeat(50)}`
  return (await device.caller.post('/webhook', { url, events: 'all' })).status
}
const isReady = async () => {
  const { status, body } = await world.admin.get('/health/ready')
  return [status, body]
}
const readMetric = async (series: string) => {
  const text = await (await fetch(`${world.run.edgeMetricsUrl}/metrics`)).text()
  const line = text.split('\n').find((one) => one.startsWith(`${series} `))
  return Number(line?.split(' ').at(-1) ?? 0)
}
const readLog = () => readFileSync(join(world.dataDir, 'logs', 'edge.log'), 'utf8')

test.runIf(mayMount)(
  'on a full disk reads work and writes are 502; with free space again a key takes effect once',
  async () => {
    disk?.fillDisk(0)
    const sendKeyed = (key: string) =>
      device.caller.post('/send/text', { number: friend, text: key }, { 'idempotency-key': key })
    await until(async () => (await saveWebhook()) === 502, { within: 40_000 })
    // A send is smaller than a webhook: while the log has room for it, another one follows.
    const { key, refused } = await until(async () => {
      const key = crypto.randomUUID()
      const refused = await sendKeyed(key)
      return refused.status === 502 && { key, refused }
    })
    expect(refused.body.error).toBe('storage_unavailable')
    expect(refused.headers.get('retry-after')).toBe('5')
    expect((await device.caller.get('/instance/status')).status).toBe(200)
    expect(await isReady()).toEqual([200, { status: 'ready' }])
    expect(await readMetric('edge_database_failures_total{operation="write",kind="full"}')).toBeGreaterThan(0)
    expect(await readMetric('edge_database_failing_seconds{operation="write"}')).toBeGreaterThan(0)
    expect(await readMetric('edge_database_failing_seconds{operation="read"}')).toBe(0)
    expect(readLog()).toContain('database or disk is full')

    const pid = world.findPid('edge')
    disk?.emptyDisk()
    await until(async () => (await sendKeyed(key)).status === 200, { within: 30_000 })
    await until(async () => (await readMetric('edge_database_failing_seconds{operation="write"}')) === 0)
    expect(world.findPid('edge')).toBe(pid)
    const { messages } = await world.sim('GET', `/phones/${friend}/inbox`)
    expect((messages as { text: string }[]).filter(({ text }) => text === key)).toHaveLength(1)
  },
)

test('without its file the edge is not ready and rejects writes until the file is back', async () => {
  const path = databasePath(world.dataDir)
  const pid = world.findPid('edge')
  renameSync(path, `${path}.away`)
  try {
    expect(await isReady()).toEqual([503, { status: 'not_ready', reason: 'database_unreachable' }])
    await until(async () => (await saveWebhook()) === 502)
    expect(
      await readMetric('edge_database_failures_total{operation="write",kind="readonly"}'),
    ).toBeGreaterThan(0)
    expect(readLog()).toContain('the file was moved or deleted')
  } finally {
    renameSync(`${path}.away`, path)
  }
  expect(await isReady()).toEqual([200, { status: 'ready' }])
  await until(async () => (await saveWebhook()) === 200)
  expect(world.findPid('edge')).toBe(pid)
})

test('a start on a file that is no database fails with one sentence', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'no-database-'))
  try {
    const path = databasePath(dataDir)
    cpSync(world.dataDir, dataDir, {
      recursive: true,
      // With the log of the former file SQLite would read part of that.
      filter: (from) => !/logs|host|lock|running|-wal|-shm/.test(from),
    })
    writeFileSync(path, 'no database '.repeat(1000))
    const env = {
      PATH: process.env.PATH ?? '',
      DATA_DIR: dataDir,
      PORT: '0',
      METRICS_PORT: '0',
      EDGE_METRICS_PORT: '0',
      SIMULATOR_PORT: '0',
    }
    const startGateway = () =>
      execFileSync(process.execPath, [join(import.meta.dirname, '../../cli/start.ts')], {
        env,
        stdio: 'pipe',
      })
    expect(startGateway).toThrow(
      /\nThe database \S+edge\.db cannot be used \(SQLITE_NOTADB: file is not a database\)\.\n$/,
    )
  } finally {
    rmSync(dataDir, { recursive: true })
  }
})
