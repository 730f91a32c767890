// Devices that the library has linked move in from the databases of other gateways. Without Postgres or Redis on this machine their tests are skipped.
// @module-tag slow

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { useMultiFileAuthState } from 'baileys'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPostgres, hasRedis, startPostgres, startRedis } from '../database-programs.ts'
import { createAccount, type Move, talkAfter, talkBefore } from '../imported-account.ts'
import { findMoved, listInstances, makeFolder, runMoveIn } from '../move-in-program.ts'
import { startHttpProxy } from '../proxy.ts'
import type { Receiver } from '../receiver.ts'
import { borrowStage } from '../scene.ts'
import type { SharedWorld } from '../world.ts'
import type { Client } from './client.ts'
import { linkMovingClient, toMoving } from './moving-client.ts'
import {
  addEvolutionHash,
  addEvolutionInstance,
  addEvolutionSession,
  addFazerAccount,
  createEvolutionTables,
  READER,
} from './other-gateways.ts'

let world: SharedWorld
let receiver: Receiver
const clients: Client[] = []

beforeAll(async () => {
  ;({ world, receiver } = await borrowStage())
})
afterAll(() => {
  for (const client of clients) client.end()
})

async function linkAccount(talks = false): Promise<{ move: Move; client: Client }> {
  const move = await createAccount(world)
  const client = await linkMovingClient(world, move.number)
  clients.push(client)
  if (talks) await talkBefore(world, toMoving(client), move)
  client.end()
  return { move, client }
}

type Sql = Awaited<ReturnType<typeof startPostgres>>['sql']
type Redis = Awaited<ReturnType<typeof startRedis>>['client']

/** In its tables, and its keys in Redis, where the command may only read. */
async function addShop(sql: Sql, redis: Redis, client: Client): Promise<void> {
  const id = await addEvolutionInstance(sql, {
    name: 'Loja São João',
    webhook: {
      url: receiver.url,
      events: [...EVENTS, UNKNOWN_EVENT],
      headers: { authorization: 'Bearer abc', jwt_key: 'secret' },
    },
    setting: { rejectCall: true },
  })
  await addEvolutionSession(sql, id, client)
  await addEvolutionHash(redis, id, client)
  const rules = ['on', '>pw', '~*', '+@read', '+@connection', '-client|list']
  await redis.sendCommand(['ACL', 'SETUSER', READER, ...rules])
}

async function addWholeInRedis(sql: Sql, redis: Redis, client: Client): Promise<void> {
  const webhook = { url: receiver.url, events: ['CALL'], enabled: false }
  const id = await addEvolutionInstance(sql, { name: 'whole in Redis', webhook })
  await addEvolutionHash(redis, id, client, true)
}

const UNKNOWN_EVENT = 'LABELS_EDIT'
const EVENTS = ['MESSAGES_UPSERT', 'SEND_MESSAGE', 'MESSAGES_UPDATE', 'CONNECTION_UPDATE', 'GROUP_UPDATE']

describe.skipIf(!hasPostgres)('Evolution API (skipped without postgres)', () => {
  let database: Awaited<ReturnType<typeof startPostgres>>
  let from: string[]

  beforeAll(async () => {
    database = await startPostgres()
    await createEvolutionTables(database.sql)
    const url = `postgres://${READER}@127.0.0.1:${database.port}/postgres?schema=evolution&connection_limit=20`
    from = ['--from', `evolution:${url}`]
  })
  afterAll(() => database.close())

  test.skipIf(!hasRedis)(
    'with keys in Redis: moves in with its webhook, and goes on both ways (skipped without redis-server)',
    async () => {
      const redis = await startRedis()
      try {
        const folder = makeFolder()
        const { move, client } = await linkAccount(true)
        await addShop(database.sql, redis.client, client)
        const whole = await linkAccount()
        await addWholeInRedis(database.sql, redis.client, whole.client)
        const keys = ['--keys', `redis://${READER}:pw@127.0.0.1:${redis.port}`]
        const names = ['--only', 'Loja São João', '--only', 'whole in Redis']
        const { code, output } = await runMoveIn(world, folder, [...from, ...keys, ...names])
        const rows = client.keys.listRows().length + 1
        expect(output).toMatch(
          new RegExp(`^Loja São João +${move.number} +\\d+ +${rows} +2026-11-01 12:30 +can be moved$`, 'm'),
        )
        expect([code, output]).toEqual([0, expect.stringContaining('2 moved, 0 not.')])
        expect(output).toContain('whole in Redis: its webhook, which is turned off')
        expect(await listInstances(world, [whole.move.number])).toEqual([
          `whole in Redis ${whole.move.number}`,
        ])
        expect(output).toMatch(
          /^Loja São João: the setting rejectCall; the events LABELS_EDIT; a path for each event; the signed token of its webhook$/m,
        )
        const device = findMoved(world, folder, 'Loja São João')
        const { webhooks } = (await device.caller.get('/v1/webhooks')).body
        expect(webhooks[0]).toMatchObject({
          url: receiver.url,
          events: ['connection', 'messages', 'messages_update', 'groups'],
          enabled: true,
          headerNames: ['authorization'],
        })
        await talkAfter(world, receiver, device, move)
      } finally {
        await redis.close()
      }
    },
  )

  test('with keys in a folder of each instance: moves in, without groups where they were ignored', async () => {
    const folder = makeFolder()
    const { move, client } = await linkAccount(true)
    const id = await addEvolutionInstance(database.sql, {
      name: 'files',
      webhook: { url: receiver.url, events: ['MESSAGES_UPSERT'] },
      setting: { groupsIgnore: true },
    })
    await addEvolutionSession(database.sql, id, client)
    const instances = join(folder, 'instances')
    mkdirSync(instances)
    const { state } = await useMultiFileAuthState(join(instances, id))
    for (const { kind, id: key, value } of client.keys.listRows())
      await state.keys.set({ [kind]: { [key]: value } })
    const keys = ['--keys', `folder:${instances}`]
    const { code, output } = await runMoveIn(world, folder, [...from, ...keys, '--only', 'files'])
    expect([code, output]).toEqual([0, expect.stringContaining('1 moved, 0 not.')])
    const device = findMoved(world, folder, 'files')
    const { webhooks } = (await device.caller.get('/webhook')).body
    expect(webhooks[0]).toMatchObject({ events: ['messages'], excludeMessages: ['isGroupYes'] })
    await device.caller.post('/webhook', { url: receiver.url, events: ['messages', 'undecryptable'] })
    await talkAfter(world, receiver, device, move)
  })

  test('with a proxy: it is connected here over that one', async () => {
    const proxy = await startHttpProxy()
    try {
      const folder = makeFolder()
      const { move, client } = await linkAccount()
      const { hostname: host, port, username, password } = new URL(proxy.url)
      const id = await addEvolutionInstance(database.sql, {
        name: 'behind a proxy',
        proxy: { host, port, username, password: decodeURIComponent(password) },
      })
      await addEvolutionSession(database.sql, id, client)
      const { state } = await useMultiFileAuthState(join(folder, 'instances', id))
      for (const { kind, id: key, value } of client.keys.listRows())
        await state.keys.set({ [kind]: { [key]: value } })
      const args = ['--keys', `folder:${join(folder, 'instances')}`, '--only', 'behind a proxy']
      const { code, output } = await runMoveIn(world, folder, [...from, ...args])
      expect([code, output]).toEqual([0, expect.stringContaining('1 moved, 0 not.')])
      expect(proxy.served.length).toBeGreaterThan(0)
      expect(proxy.open).toBe(1)
      expect(await listInstances(world, [move.number])).toEqual([`behind a proxy ${move.number}`])
      await findMoved(world, folder, 'behind a proxy').caller.delete('/instance')
    } finally {
      await proxy.close()
    }
  })

  test('an account whose state is open is refused, and one of the official interface, without keys or without a device is shown as such', async () => {
    const folder = makeFolder()
    const { move, client } = await linkAccount()
    const open = await addEvolutionInstance(database.sql, { name: 'open', status: 'open' })
    await addEvolutionSession(database.sql, open, client)
    await addEvolutionInstance(database.sql, { name: 'official', integration: 'WHATSAPP-BUSINESS' })
    await addEvolutionInstance(database.sql, { name: 'never linked' })
    const instances = join(folder, 'instances')
    const { state } = await useMultiFileAuthState(join(instances, open))
    for (const { kind, id, value } of client.keys.listRows())
      await state.keys.set({ [kind]: { [id]: value } })
    const names = ['open', 'official', 'never linked'].flatMap((name) => ['--only', name])
    const refused = await runMoveIn(world, folder, [...from, ...names, '--keys', `folder:${instances}`])
    expect(refused.code).toBe(1)
    expect(refused.output).toMatch(/^official .+ is no linked device, but WHATSAPP-BUSINESS$/m)
    expect(refused.output).toMatch(/^never linked .+ has no credential$/m)
    expect(refused.output).toMatch(
      /Nothing was moved: .+\(open: its state is open, and \d+ programs? (is|are) connected/,
    )
    const keyless = await runMoveIn(world, folder, [...from, ...names, '--dry-run'])
    expect(keyless.output).toMatch(/^open .+ its keys are elsewhere: name the place with --keys/m)
    expect(await listInstances(world, ['open', move.number])).toEqual([])
  })
})

describe.skipIf(!hasRedis)('baileys-api of fazer-ai (skipped without redis-server)', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>
  let from: string[]

  beforeAll(async () => {
    redis = await startRedis()
    from = ['--from', `fazer:redis://127.0.0.1:${redis.port}`]
  })
  afterAll(() => redis.close())

  test('moves in with its webhook, and goes on both ways', async () => {
    const folder = makeFolder()
    const { move, client } = await linkAccount(true)
    const id = `+${move.number}`
    await addFazerAccount(redis.client, id, client, { webhookUrl: receiver.url, webhookVerifyToken: 'abc' })
    const { code, output } = await runMoveIn(world, folder, [...from, '--only', id])
    expect([code, output]).toEqual([0, expect.stringContaining('1 moved, 0 not.')])
    expect(output).toContain('the token in the bodies of its webhook: here a secret signs them')
    const device = findMoved(world, folder, id)
    await talkAfter(world, receiver, device, move)
  })

  test('whose webhook cannot be one here moves all the same, and is told so', async () => {
    const folder = makeFolder()
    const { move, client } = await linkAccount()
    const id = `+${move.number}`
    await addFazerAccount(redis.client, id, client, { webhookUrl: 'http://chatwoot:3000/hook?key=abc' })
    const { code, output } = await runMoveIn(world, folder, [...from, '--only', id])
    expect([code, output]).toEqual([0, expect.stringContaining('1 moved, 0 not.')])
    expect(output).toMatch(/^\+\d+: its webhook http:\/\/chatwoot:3000: 400 invalid_url/m)
    expect(output).not.toContain('abc')
    expect(await listInstances(world, [move.number])).toEqual([`${id} ${move.number}`])
  })

  test('whose lease is held, or that is connected to Redis itself, is refused', async () => {
    const folder = makeFolder()
    const { move, client } = await linkAccount()
    const id = `+${move.number}`
    await addFazerAccount(redis.client, id, client, {})
    const lease = `@baileys-api:cluster:lease:${id}`
    await redis.client.set(lease, JSON.stringify({ owner: 'one', epoch: 1 }))
    const args = [...from, '--only', id]
    const held = await runMoveIn(world, folder, args)
    expect([held.code, held.output]).toEqual([1, expect.stringContaining('a gateway holds its lease')])
    await redis.client.del(lease)
    const other = redis.client.duplicate()
    await other.connect()
    await other.sendCommand(['CLIENT', 'SETNAME', 'baileys-api'])
    const connected = await runMoveIn(world, folder, args)
    await other.close()
    expect([connected.code, connected.output]).toEqual([
      1,
      expect.stringContaining('baileys-api is connected to its Redis'),
    ])
  })
})
