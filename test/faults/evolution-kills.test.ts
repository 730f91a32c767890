// The edge is killed between the steps of a creation in the form of Evolution: the instance is there with its key, its webhook and its proxy, or not at all.
// @module-tag slow

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPlainCaller } from '../caller.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../chaos/database-proxy.ts'
import { createPhone } from '../device.ts'
import { startHttpProxy, type TestProxy } from '../proxy.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'

const RECEIVER = 'http://127.0.0.1:9/hook'
let database: DatabaseProxy
let proxy: TestProxy
let world: World
let adminKey: string

beforeAll(async () => {
  database = await startDatabaseProxy()
  proxy = await startHttpProxy()
  world = await startWorld({
    DATABASE_URL: database.url,
    DATABASE_TOKEN: database.token,
    DIALECTS: 'evolution',
    LOCAL_PROXIES: 'on',
    WEBHOOK_ALLOWLIST: new URL(RECEIVER).host,
  })
  adminKey = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
})
afterAll(async () => {
  await world.close()
  await database.close()
  await proxy.close()
})

const callAs = (apikey: string) => createPlainCaller(`${world.run.baseUrl}/evolution`, { apikey })
/** Until the host is linked with the edge again, a creation is refused, and leaves nothing. */
const createWhole = (creation: object) =>
  until(
    async () => {
      const answer = await callAs(adminKey).post('/instance/create', creation)
      return answer.status !== 502 && answer
    },
    { within: 60_000 },
  )
const listNamed = (name: string): Promise<Seen[]> =>
  until(
    async () => {
      const { body } = await callAs(adminKey).get('/instance/fetchInstances')
      return Array.isArray(body) && (body as Seen[]).filter((one) => one.name === name)
    },
    { within: 60_000 },
  )

const steps = [
  ['the search for its key', /token_hash/i, 0],
  ['the write that creates it', /insert into .{0,2}instances/i, 1],
  ['the write that gives it a host', /update .{0,2}instances.{0,2} set .{0,2}host_id/i, 1],
] as const

test.each(steps)(
  'a creation whose edge is killed at %s is there whole or not at all, and its repeat makes no second one',
  {
    timeout: 180_000,
  },
  async (step, pattern, count) => {
    const name = `killed at ${step}`
    const token = `a-key-that-was-chosen-${step.length}`
    const { hostname: host, port, username, password } = new URL(proxy.url)
    const creation = {
      instanceName: name,
      token,
      qrcode: true,
      number: await createPhone(world, 'Owner'),
      groupsIgnore: true,
      webhook: { url: RECEIVER, headers: { 'x-shop': 'one' } },
      proxyHost: host,
      proxyPort: port,
      proxyUsername: username,
      proxyPassword: decodeURIComponent(password),
    }
    expect((await createWhole({ ...creation, instanceName: 'before', token: undefined })).status).toBe(201)
    expect((await callAs(adminKey).delete('/instance/delete/before')).status).toBe(200)
    const killed = world.run.parts.edge
    database.killAtNext(
      (request) => pattern.test(request),
      () => void process.kill(world.findPid('edge'), 'SIGKILL'),
    )
    await expect(callAs(adminKey).post('/instance/create', creation)).rejects.toThrow()
    await until(() => world.run.parts.edge !== killed, { within: 60_000 })
    expect(await listNamed(name)).toHaveLength(count)
    const own = callAs(token)
    const read = async (path: string) => (await own.get(`${path}/${encodeURIComponent(name)}`)).body
    if (count === 0) expect((await read('/instance/connectionState')).status).toBe(401)
    // As Evolution itself says of what is there.
    expect((await createWhole(creation)).status).toBe(count === 0 ? 201 : 400)
    expect(await listNamed(name)).toHaveLength(1)
    expect(await read('/webhook/find')).toMatchObject({ url: creation.webhook.url, enabled: true })
    expect(await read('/settings/find')).toMatchObject({ groupsIgnore: true })
    expect(await read('/proxy/find')).toMatchObject({ host, port })
    expect((await read('/instance/connect')).pairingCode ?? 'none').toEqual(expect.any(String))
    expect((await own.delete(`/instance/delete/${encodeURIComponent(name)}`)).status).toBe(200)
    expect((await createWhole(creation)).status).toBe(201)
  },
)
