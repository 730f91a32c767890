// The edge's process when it is stopped, and when its log is not read: responses are finished, and nothing waits or grows without end.
// @module-tag slow

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevice, createPhone, type LinkedDevice, linkDevice } from '../device.ts'
import { registerStandIn } from '../hosts/host-stand-in.ts'
import { until } from '../until.ts'
import { everyLine, startWorld, type World } from '../world.ts'

let world: World
let device: LinkedDevice
let friend: string

beforeAll(async () => {
  world = await startWorld(everyLine)
  device = await linkDevice(world, await createDevice(world))
  friend = await createPhone(world)
})
afterAll(() => world.close())

const readLines = (): string[] => readFileSync(join(world.dataDir, 'logs', 'edge.log'), 'utf8').split('\n')

test('an edge that is stopped finishes its responses, ends its streams and links, and exits with 0', async () => {
  const host = await registerStandIn(world, crypto.randomUUID())
  await host.dialEdge()
  const stream = await fetch(`${world.run.baseUrl}/v1/events/stream`, { headers: { token: device.token } })
  await world.sim('POST', '/faults', { kind: 'slow', ms: 1500, number: device.number, count: 1 })
  const sent = device.caller.post(
    '/send/text',
    { number: friend, text: 'slow' },
    { 'idempotency-key': 'slow' },
  )
  await until(
    async () => (await world.queryDatabase("select 1 from idempotency_keys where key = 'slow'")).length === 1,
  )
  const before = world.findPid('edge')
  process.kill(before, 'SIGTERM')

  const read = new Response(stream.body).text()
  expect(await read).not.toContain('event: error')
  expect((await sent).status).toBe(200)
  await until(() => host.closedWith === 1001)
  await until(() => world.run.parts.edge !== before)
  expect(world.readOutput()).toContain('The edge ended (exit 0); starting it again.')
  const [stored] = await world.queryDatabase("select state from idempotency_keys where key = 'slow'")
  expect(stored?.state).toBe('answered')
})

test('an edge whose log is not read still responds, and logs later how many lines were dropped', async () => {
  const supervisor = world.run.pid
  const marker = 'x'.repeat(100)
  process.kill(supervisor, 'SIGSTOP')
  try {
    // More than a pipe and what may wait hold together.
    for (let n = 0; n < 100; n++) {
      const requests = Array.from({ length: 50 }, (_, at) =>
        device.caller.get('/webhook', { 'x-request-id': `${marker}-${n}-${at}` }),
      )
      for (const response of await Promise.all(requests)) expect(response.status).toBe(200)
    }
  } finally {
    process.kill(supervisor, 'SIGCONT')
  }
  const line = await until(() => readLines().find((line) => line.includes('log lines dropped')))
  expect(JSON.parse(line)).toMatchObject({ level: 'warn', lines: expect.any(Number) })
  expect(readLines().some((line) => line.includes(`${marker}-0-0`))).toBe(true)
  for (const line of readLines().filter(Boolean)) expect(() => JSON.parse(line)).not.toThrow()
})
