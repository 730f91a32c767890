// The refusal of private addresses at the connection: without our judgement in front of it, and after names were resolved.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@msgnet/cli/settings/ports.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { canFakeNames, writeHostsFile } from '../fake-names.ts'
import { until } from '../until.ts'
import { type Canary, formatHost, listOwnAddresses, startCanary } from './canary.ts'
import { thisMachine } from './spellings.ts'

const namesToResolve = canFakeNames()
const folder = mkdtempSync(join(tmpdir(), 'wall-'))
const own = listOwnAddresses()
const addresses = [
  '127.0.0.1',
  '127.8.8.8',
  '0.0.0.0',
  '::1',
  '::',
  '::ffff:127.0.0.1',
  '::127.0.0.1',
  ...own,
]
const resolved = Object.fromEntries(addresses.map((address, n) => [`n${n}.canary.org`, address]))

/** Sends a request outward for each one that it gets, as the edge does. */
const createServerCommand = (port: number) => [
  process.execPath,
  join(import.meta.dirname, 'outward-server.ts'),
  String(port),
]

const hosts = join(folder, 'hosts')
let canary: Canary
let runtime: ChildProcess
let outbound: string

beforeAll(async () => {
  canary = await startCanary()
  const port = await freePort()
  const [program = '', ...args] = namesToResolve
    ? [...writeHostsFile(resolved, hosts), ...createServerCommand(port)]
    : createServerCommand(port)
  runtime = spawn(program, args, { stdio: 'ignore' })
  outbound = `http://127.0.0.1:${port}/`
  await until(() => fetch(outbound))
})

afterAll(async () => {
  const gone = once(runtime, 'close')
  runtime.kill('SIGTERM')
  await gone
  canary.close()
})

async function requestStatus(url: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(outbound, { headers: { 'x-url': encodeURIComponent(url), ...headers } })
  await response.text()
  return response.status
}

async function touchCanary(): Promise<void> {
  const before = canary.touched
  await fetch(`http://127.0.0.1:${canary.port}/`).catch(() => undefined)
  await until(() => canary.touched > before)
}

test('no spelling of an address of this machine is reached, as a literal or by name', async () => {
  expect(thisMachine.length).toBeGreaterThanOrEqual(60)
  for (const host of [...thisMachine, ...own.map(formatHost), ...Object.keys(resolved)])
    for (const scheme of ['http', 'https'])
      expect([host, await requestStatus(`${scheme}://${host}:${canary.port}/`)]).toEqual([host, 502])
  // A connection that was let through would have been there before the canary's own is.
  await touchCanary()
  expect(canary.touched).toBe(1)
})

test('the canary works: without the check the same names and spellings reach it', async ({ skip }) => {
  if (!namesToResolve) skip('made-up names need a mount namespace, which this machine forbids')
  for (const host of [
    '127.1',
    '[::1]',
    'localhost',
    ...own.map(formatHost),
    'n0.canary.org',
    'n3.canary.org',
  ]) {
    const before = canary.touched
    await requestStatus(`http://${host}:${canary.port}/`, { 'x-anywhere': 'yes' })
    await until(() => canary.touched > before)
  }
})

test('a name whose address changes is checked at each connection', async ({ skip }) => {
  if (!namesToResolve) skip('made-up names need a mount namespace, which this machine forbids')
  for (const address of ['127.0.0.1', '::1', ...own]) {
    writeFileSync(hosts, `${address} changing.canary.org\n`)
    const url = `http://changing.canary.org:${canary.port}/`
    const before = canary.touched
    expect(await requestStatus(url)).toBe(502)
    expect(canary.touched).toBe(before)
    // The name leads there: by the other way it is reached.
    await requestStatus(url, { 'x-anywhere': 'yes' })
    await until(() => canary.touched > before)
  }
})

afterAll(() => rmSync(folder, { recursive: true }))
