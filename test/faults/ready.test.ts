// Readiness while the database hangs: asked by whoever gives up after two seconds.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeDevice } from '../device.ts'
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
