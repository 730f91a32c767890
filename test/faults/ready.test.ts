// Readiness while the database hangs or takes no writes: asked by whoever gives up after two seconds.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeDevice } from '../device.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
})

afterAll(() => world.close())

/** Fails when there is no answer within two seconds, as a probe does. */
async function probe() {
  const answer = await fetch(`${world.run.baseUrl}/health/ready`, { signal: AbortSignal.timeout(2000) })
  return [answer.status, await answer.json()]
}

test('a database that accepts and never answers is not_ready within two seconds, whoever else waits for it', async () => {
  const { caller } = await makeDevice(world)
  const database = world.pid('database')
  process.kill(database, 'SIGSTOP')
  const others = Array.from({ length: 20 }, () => caller.get('/instance/status'))
  try {
    const notReady = [503, { status: 'not_ready', reason: 'database_unreachable' }]
    expect(await probe()).toEqual(notReady)
    expect(await Promise.all([probe(), probe(), probe()])).toEqual([notReady, notReady, notReady])
  } finally {
    process.kill(database, 'SIGCONT')
  }
  await Promise.all(others)
  expect(await probe()).toEqual([200, { status: 'ready' }])
})

/** Of the edge; nothing was counted yet where it is not there. */
async function counted(name: string): Promise<number> {
  const text = await (await fetch(`${world.run.edgeMetricsUrl}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
}

test('a write lock that stays is no reason to be not_ready, because reads go on: the metrics say that no write succeeds', async () => {
  const { caller } = await makeDevice(world)
  const write = async () => (await caller.post('/webhook', { action: 'delete' })).status
  expect(await write()).toBe(200)
  const before = await counted('edge_database_failed_writes_total')
  const other = new DatabaseSync(join(world.dataDir, 'database/dbs/default/data'), { timeout: 10_000 })
  other.exec('BEGIN IMMEDIATE')
  try {
    expect(await write()).toBe(502)
    const failed = await counted('edge_database_failed_writes_total')
    const commits = await counted('edge_database_commits_total')
    expect(failed).toBeGreaterThan(before)
    expect(await write()).toBe(502)
    expect(await counted('edge_database_failed_writes_total')).toBeGreaterThan(failed)
    expect(await counted('edge_database_commits_total')).toBe(commits)
    expect((await caller.get('/instance/status')).status).toBe(200)
    expect(await probe()).toEqual([200, { status: 'ready' }])
  } finally {
    other.exec('ROLLBACK')
    other.close()
  }
  await until(async () => (await write()) === 200)
})
