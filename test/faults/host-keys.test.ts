// A host has keys of its own: what it is started with opens nothing of the edge, and a start neither loses nor replaces them.
// @module-tag slow

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { edgeColumns } from '@msgnet/cli/keys/sealed-columns.ts'
import { createNodeGcm } from '@msgnet/shared/node/gcm.ts'
import { createSealer, SealError, Sealer } from '@msgnet/shared/seal.ts'
import { parseSealKeys, purposes } from '@msgnet/shared/seal-keys.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  createDevice,
  createPhone,
  type LinkedDevice,
  linkDevice,
  subscribeReceiver,
  waitUntilConnected,
} from '../device.ts'
import { startHttpProxy, type TestProxy } from '../proxy.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { startWorld, type World } from '../world.ts'

const run = promisify(execFile)
const createKeys = () => `k1:${randomBytes(32).toString('base64')}`
const readStored = (name: string) => readFileSync(join(world.dataDir, name), 'utf8').trim()

let world: World
let receiver: Receiver
let proxy: TestProxy
beforeEach(async () => {
  receiver = await startReceiver()
  proxy = await startHttpProxy()
})
afterEach(async () => {
  await world.close()
  await receiver.close()
  await proxy.close()
})

/** A device with a webhook, a proxy and a stored response: something of everything that the edge seals. */
async function startWithKeys(env: Record<string, string>): Promise<LinkedDevice> {
  world = await startWorld({ WEBHOOK_ALLOWLIST: receiver.place, ...env })
  const made = await createDevice(world)
  await subscribeReceiver(made, receiver, ['messages'])
  await made.caller.post('/instance/proxy', { enable: true, proxy_url: proxy.url })
  await world.admin.post('/instance/init', { name: 'Kept' }, KEY)
  return linkDevice(world, made)
}
const KEY = { 'idempotency-key': 'first-instance' }

type Open = (sealed: Uint8Array<ArrayBuffer>, context: string) => Promise<unknown>

/** Everything that a list of keys can open, as the key of every purpose and as it is. */
async function findOpeners(environment: string): Promise<Open[]> {
  const keys = environment.match(/[A-Za-z0-9+/]{43}=/g) ?? []
  expect(keys).not.toEqual([])
  const lists = keys.flatMap((key) => ['k1', 'h1'].map((id) => `${id}:${key}`))
  const sealers = await Promise.all(
    lists.flatMap((list) => [
      ...purposes.map((purpose) => createSealer(list, purpose)),
      ...parseSealKeys(list).map(({ id, bytes }) => new Sealer(new Map([[id, createNodeGcm(bytes)]]))),
    ]),
  )
  return sealers.map((sealer) => (sealed, context) => sealer.open(sealed, context))
}

test.each([
  ['made at the first run', {}],
  ['given for the edge', { SEAL_KEYS: createKeys() }],
  ['given for both', { SEAL_KEYS: createKeys(), HOST_SEAL_KEYS: `h1:${randomBytes(32).toString('base64')}` }],
])('with keys %s, the keys of a host open nothing of the edge and create no media link', async (_, env) => {
  const device = await startWithKeys(env)
  const pid = world.run.parts['session host']
  const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
  const sealKeys = 'SEAL_KEYS' in env ? env.SEAL_KEYS : readStored('seal-keys')
  expect(environment).not.toContain(sealKeys.split(':')[1])
  expect(environment).not.toMatch(/\0SEAL_KEYS=/)

  const openers = await findOpeners(environment)
  const edges = await createSealer(sealKeys, 'edge/proxy')
  const seen = new Set<string>()
  for (const { table, column, purpose, context } of edgeColumns) {
    const rows = await world.queryDatabase(
      `SELECT hex(${column}) AS sealed, ${context} AS context FROM ${table} WHERE length(${column}) > 0`,
    )
    for (const row of rows) {
      seen.add(purpose)
      const sealed = new Uint8Array(Buffer.from(String(row.sealed), 'hex'))
      for (const open of openers) await expect(open(sealed, String(row.context))).rejects.toThrow(SealError)
      if (purpose === 'edge/proxy')
        expect(Buffer.from(await edges.open(sealed, String(row.context))).toString()).toBe(proxy.url)
    }
  }
  expect([...seen].sort()).toEqual(['edge/proxy', 'edge/replay', 'edge/webhook-secret'])

  const friend = await createPhone(world)
  const file = Buffer.from('for one person').toString('base64')
  const sent = await device.caller.post('/send/media', { number: friend, type: 'document', file })
  const { fileURL } = (await device.caller.post('/message/download', { id: sent.body.messageid })).body
  const sealed = new Uint8Array(Buffer.from(new URL(fileURL).searchParams.get('file') ?? '', 'base64url'))
  expect((await fetch(fileURL)).status).toBe(200)
  for (const open of openers) await expect(open(sealed, 'media-link')).rejects.toThrow(SealError)
})

test('keys added later seal from then on, and those of the data folder still open', async () => {
  const env: Record<string, string> = { WEBHOOK_ALLOWLIST: receiver.place }
  world = await startWorld(env)
  const device = await linkDevice(world, await createDevice(world))
  env.SEAL_KEYS = readStored('seal-keys')
  await world.killAndRestart()
  await waitUntilConnected(device)
  env.HOST_SEAL_KEYS = `own:${randomBytes(32).toString('base64')}`
  await world.killAndRestart()
  await waitUntilConnected(device)
  expect(world.run.hostSealKeys).toEqual(['own', 'h1', 'k1'])
})

test('a start without the keys of its host fails and creates no new ones', async () => {
  world = await startWorld()
  const device = await linkDevice(world, await createDevice(world))
  const keys = readStored('host-seal-keys')
  let output = ''
  await world.killAndRestart(async () => {
    rmSync(join(world.dataDir, 'host-seal-keys'))
    const start = join(import.meta.dirname, '../../cli/start.ts')
    const env = { PATH: process.env.PATH ?? '', DATA_DIR: world.dataDir, PORT: '0', METRICS_PORT: '0' }
    output = await run(process.execPath, [start], { env }).then(
      () => '',
      ({ stderr }) => stderr,
    )
    writeFileSync(join(world.dataDir, 'host-seal-keys'), keys, { mode: 0o600 })
  })
  expect(output).toMatch(
    /^The host's seal keys of .* are missing: restore .*host-seal-keys or set HOST_SEAL_KEYS\.$/m,
  )
  await waitUntilConnected(device)
})
