// What lies on the disk is its owner's alone, and files of messages leave nothing behind, however a host ends.
// @module-tag slow

import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevice, createPhone, type LinkedDevice, linkDevice, waitUntilReachable } from '../device.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'

let world: World
let device: LinkedDevice
/** What is for the gateway the machine's folder for temporary files. */
const elsewhere = mkdtempSync(join(tmpdir(), 'elsewhere-'))
/** Sends the beginning of a file, and never the rest. */
const server = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'image/png' })
  response.write(Buffer.alloc(1_000_000))
})

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const WEBHOOK_ALLOWLIST = `127.0.0.1:${(server.address() as AddressInfo).port}`
  world = await startWorld({ WEBHOOK_ALLOWLIST, TMPDIR: elsewhere })
  device = await linkDevice(world, await createDevice(world))
})
afterAll(async () => {
  await world.close()
  server.closeAllConnections()
  server.close()
  rmSync(elsewhere, { recursive: true })
})

const listFiles = () => readdirSync(world.dataDir, { recursive: true, encoding: 'utf8' })
const isOpenToOthers = () =>
  ['.', ...listFiles()].filter((name) => statSync(join(world.dataDir, name)).mode & 0o077)

test('files under the data folder are readable by their owner only, older ones too', async () => {
  expect(isOpenToOthers()).toEqual([])
  await world.killAndRestart(() => {
    mkdirSync(join(world.dataDir, 'logs', 'older'))
    writeFileSync(join(world.dataDir, 'logs', 'older', 'edge.log'), 'a text', { mode: 0o644 })
    for (const name of ['.', 'host', 'database', 'logs/older']) chmodSync(join(world.dataDir, name), 0o755)
    chmodSync(join(world.dataDir, 'host', 'host.db'), 0o644)
  })
  await waitUntilReachable(device)
  expect(isOpenToOthers()).toEqual([])
})

test('a kill during an upload leaves its file in the data folder only, and the next start deletes it', async () => {
  const friend = await createPhone(world)
  const temporary = join(world.dataDir, 'host', 'tmp')
  const file = `http://127.0.0.1:${(server.address() as AddressInfo).port}/endless.png`
  const sending = device.caller
    .post('/send/media', { number: friend, type: 'document', file })
    .catch(() => undefined)
  const left = await until(() => {
    const found = readdirSync(temporary, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.includes('/'),
    )
    return found.length > 0 && found
  })
  for (const name of left) expect(statSync(join(temporary, name)).mode & 0o077, name).toBe(0)
  await world.killAndRestart(() => {
    expect(readdirSync(temporary, { recursive: true })).toEqual(expect.arrayContaining(left))
  })
  await sending
  await waitUntilReachable(device)
  expect(
    readdirSync(temporary, { recursive: true, encoding: 'utf8' }).filter((name) => left.includes(name)),
  ).toEqual([])
  expect(readdirSync(elsewhere).filter((name) => /^(image|document)/.test(name))).toEqual([])
})
