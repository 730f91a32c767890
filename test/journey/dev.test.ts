// `npm run dev`, on a copy of the sources: what is saved runs a moment later, and a linked device stays linked.
// @module-tag slow

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createDevice, createPhone, linkDevice, waitUntilConnected } from '../device.ts'
import { linkPackages } from '../link-packages.ts'
import { until } from '../until.ts'
import { startWorld } from '../world.ts'

const project = join(import.meta.dirname, '..', '..')
const root = mkdtempSync(join(tmpdir(), 'sources-'))
const copied = [
  'edge',
  'console',
  'docs',
  'openapi',
  'clients',
  'session-host',
  'bridges',
  'shared',
  'cli',
  'simulator',
  'migrations',
  'package.json',
  'README.md',
  'wrangler.toml',
]
for (const name of copied) cpSync(join(project, name), join(root, name), { recursive: true })
linkPackages(root)

const world = await startWorld({}, undefined, { root, args: ['--watch'] })
const device = await linkDevice(world, await createDevice(world))
afterAll(async () => {
  await world.close()
  rmSync(root, { recursive: true, force: true })
})

function changeFile(path: string, change: (text: string) => string): void {
  const file = join(root, path)
  const before = readFileSync(file, 'utf8')
  const after = change(before)
  expect(after).not.toBe(before)
  writeFileSync(file, after)
}

const sendText = async (text: string) => {
  const number = await createPhone(world)
  return until(async () => (await device.caller.post('/send/text', { number, text })).status === 200)
}

test('a change of the edge is served while the device stays linked', async () => {
  const readLiveness = async () => (await fetch(`${world.run.baseUrl}/health/live`)).text()
  expect(await readLiveness()).toContain('"live"')
  changeFile('edge/routes/diagnostic-routes.ts', (text) =>
    text.replace("status: 'live'", "status: 'live', changed: true"),
  )
  await until(async () => (await readLiveness()).includes('changed'), { within: 40_000 })
  await waitUntilConnected(device, 40_000)
  await sendText('after a change of the edge')
})

test('a change of the host runs in a new process while the device stays linked', async () => {
  const before = world.run.parts['session host']
  changeFile('session-host/session-host.ts', (text) => `${text}\n// Changed.\n`)
  await until(() => world.run.parts['session host'] !== before, { within: 40_000 })
  await waitUntilConnected(device, 40_000)
  await sendText('after a change of the host')
})

test('a change that does not compile is reported and leaves the edge as it was', async () => {
  changeFile('edge/api-app.ts', (text) => `${text}\nconst = 1\n`)
  await until(() => world.readOutput().includes('Not started again'), { within: 40_000 })
  await sendText('with a mistake in the sources')
})
