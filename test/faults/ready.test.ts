// Readiness while a database server hangs, or another process holds the write lock of a file: probed with a limit of two seconds.

import { DatabaseSync } from 'node:sqlite'
import { databasePath } from '@msgnet/cli/data-folder/database-file.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DatabaseServer, startDatabaseServer } from '../database-server.ts'
import { createDevice } from '../device.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'

let database: DatabaseServer
/** One with that server, the other with a file of its own. */
let served: World
let world: World

beforeAll(async () => {
  database = await startDatabaseServer()
  served = await startWorld(database.env)
  world = await startWorld()
})

afterAll(async () => {
  await world.close()
  await served.close()
  await database.close()
})

/** Fails when there is no answer within two seconds, as a probe does. */
async function probeReadiness(of = world) {
  const response = await fetch(`${of.run.baseUrl}/health/ready`, { signal: AbortSignal.timeout(2000) })
  return [response.status, await response.json()]
}

test('a database that accepts and never answers is not_ready within two seconds, however many requests wait', async () => {
  const { caller } = await createDevice(served)
  process.kill(database.pid, 'SIGSTOP')
  const others = Array.from({ length: 20 }, () => caller.get('/instance/status'))
  try {
    const notReady = [503, { status: 'not_ready', reason: 'database_unreachable' }]
    expect(await probeReadiness(served)).toEqual(notReady)
    expect(
      await Promise.all([probeReadiness(served), probeReadiness(served), probeReadiness(served)]),
    ).toEqual([notReady, notReady, notReady])
  } finally {
    process.kill(database.pid, 'SIGCONT')
  }
  await Promise.all(others)
  expect(await probeReadiness(served)).toEqual([200, { status: 'ready' }])
})

/** Of the edge; nothing was counted yet where it is not there. */
async function readCount(name: string): Promise<number> {
  const text = await (await fetch(`${world.run.edgeMetricsUrl}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
}

test('a permanent write lock leaves the edge ready for reads, and the metrics show that no write succeeds', {
  tags: ['slow'],
}, async () => {
  const { caller } = await createDevice(world)
  const deleteWebhook = async () => (await caller.post('/webhook', { action: 'delete' })).status
  expect(await deleteWebhook()).toBe(200)
  const before = await readCount('edge_database_failed_writes_total')
  const other = new DatabaseSync(databasePath(world.dataDir), { timeout: 10_000 })
  other.exec('BEGIN IMMEDIATE')
  try {
    expect(await deleteWebhook()).toBe(502)
    const failed = await readCount('edge_database_failed_writes_total')
    const commits = await readCount('edge_database_commits_total')
    expect(failed).toBeGreaterThan(before)
    expect(await deleteWebhook()).toBe(502)
    expect(await readCount('edge_database_failed_writes_total')).toBeGreaterThan(failed)
    expect(await readCount('edge_database_commits_total')).toBe(commits)
    expect((await caller.get('/instance/status')).status).toBe(200)
    expect(await probeReadiness()).toEqual([200, { status: 'ready' }])
  } finally {
    other.exec('ROLLBACK')
    other.close()
  }
  await until(async () => (await deleteWebhook()) === 200)
})
