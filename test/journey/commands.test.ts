// Every command with arguments names a mistyped or missing one in one sentence: no stack, and exit code 1.
// @module-tag slow

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, expect, onTestFinished, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const folder = mkdtempSync(join(tmpdir(), 'commands-'))
afterAll(() => rmSync(folder, { recursive: true }))

function runScript(script: string, args: string[] = [], env: Record<string, string> = {}) {
  const own = { PATH: process.env.PATH ?? '', DATA_DIR: folder }
  // One that starts in spite of its arguments would run for ever.
  const options = { env: { ...own, ...env }, encoding: 'utf8', cwd: folder, timeout: 45_000 } as const
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'cli', script), ...args], options)
  return { status, output: stderr.trim() }
}

test.each([
  'backup.ts',
  'restore.ts',
  'setup.ts',
  'register-host.ts',
  'build-client.ts',
  'start.ts',
  'serve-edge.ts',
  'migrate.ts',
  'compact.ts',
  'reseal.ts',
])('%s names an unknown option', (script) => {
  const { status, output } = runScript(script, ['--colour', 'blue'])
  expect(status).toBe(1)
  expect(output).toMatch(/^Unknown option '--colour'.*$/)
})

test.each([
  ['backup.ts', /^The target is missing: /],
  ['restore.ts', /^The backup is missing: /],
  ['setup.ts', /^The domain of the server is missing: /],
  ['migrate.ts', /^DATABASE_URL is not set/],
])('%s names the option that is missing', (script, sentence) => {
  const { status, output } = runScript(script)
  expect(status).toBe(1)
  expect(output).toMatch(sentence)
  expect(output).not.toContain('\n')
})

test('a host is registered if there is an environment file for it and the edge responds', () => {
  const missing = runScript('register-host.ts', ['--folder', join(folder, 'nowhere')])
  expect(missing.output).toMatch(/nowhere\/host\.env cannot be read \(ENOENT\): npm run setup writes it\.$/)
  expect(missing.status).toBe(1)

  // No request goes to port 1: fetch refuses it.
  writeFileSync(join(folder, 'host.env'), 'EDGE_URL=http://127.0.0.1:1\n')
  const ended = runScript('register-host.ts', ['--folder', folder], { ADMIN_TOKEN: 'a'.repeat(32) })
  expect(ended.output).toBe('The edge does not respond at http://127.0.0.1:1: start it first.')
  expect(ended.status).toBe(1)
})

test.each([
  [
    502,
    '<html>Bad Gateway</html>',
    /^The server at \S+ is not an edge: it responded with 502, and not in JSON\.$/,
  ],
  [200, 'null', /^The edge refused to register a host \(200\)\.$/],
  [401, '{"message":"Unauthorized"}', /^The edge refused to register a host \(401\): Unauthorized$/],
])('a host is not registered at a server that responds %i with %s', async (code, body, sentence) => {
  const server = createServer((_, response) => response.writeHead(code).end(body)).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const own = join(folder, String(code))
  mkdirSync(own)
  writeFileSync(
    join(own, 'host.env'),
    `EDGE_URL=http://127.0.0.1:${(server.address() as AddressInfo).port}\n`,
  )
  const child = spawn(process.execPath, [join(root, 'cli', 'register-host.ts'), '--folder', own], {
    env: { PATH: process.env.PATH ?? '', ADMIN_TOKEN: 'a'.repeat(32) },
  })
  const [output, [status]] = await Promise.all([text(child.stderr), once(child, 'close')])
  expect(output.trim()).toMatch(sentence)
  expect(status).toBe(1)
})

test('no host is registered while its token could not be written', async () => {
  let requests = 0
  const server = createServer((_, response) => {
    requests += 1
    response.writeHead(201).end('{"host":{"id":"one"},"token":"mgh_one"}')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const own = join(folder, 'unwritable')
  // In the place of the draft that the file is written from.
  mkdirSync(join(own, 'host.env.draft'), { recursive: true })
  const environment = `EDGE_URL=http://127.0.0.1:${(server.address() as AddressInfo).port}\n`
  writeFileSync(join(own, 'host.env'), environment)
  const child = spawn(process.execPath, [join(root, 'cli', 'register-host.ts'), '--folder', own], {
    env: { PATH: process.env.PATH ?? '', ADMIN_TOKEN: 'a'.repeat(32) },
  })
  const [output, [status]] = await Promise.all([text(child.stderr), once(child, 'close')])
  expect(output.trim()).toBe(`${join(own, 'host.env')} cannot be written (EISDIR).`)
  expect({ status, requests }).toEqual({ status: 1, requests: 0 })
  expect(readFileSync(join(own, 'host.env'), 'utf8')).toBe(environment)
})

test('setup leaves the keys of a registered host as they are, and completes what an interrupted run has left', () => {
  const own = join(folder, 'only-host')
  const hostFile = join(own, 'host.env')
  mkdirSync(own)
  const registered = 'HOST_SEAL_KEYS=h1:aaaa\nHOST_TOKEN=mgh_one\n'
  writeFileSync(hostFile, registered)
  const setUp = () => runScript('setup.ts', ['--folder', own, '--domain', 'gateway.example'])
  expect(setUp().output).toBe(`${hostFile} is of a host that is registered: nothing was changed.`)
  expect([readdirSync(own), readFileSync(hostFile, 'utf8')]).toEqual([['host.env'], registered])
  writeFileSync(hostFile, 'HOST_SEAL_KEYS=h1:aaaa\n')
  expect(setUp().status).toBe(0)
  expect(readdirSync(own).sort()).toEqual(['edge.env', 'host.env'])
})

test('a backup that is stopped leaves nothing, and the next one deletes what a killed one has left for half a day', async () => {
  const into = mkdtempSync(join(folder, 'into-'))
  const listNames = () => readdirSync(into).map((name) => name.replace(/\d+$/, ''))
  for (const day of [1, 2]) mkdirSync(join(into, `2026-11-0${day}T03-00-00Z.partial-7`))
  const longAgo = new Date(Date.now() - 13 * 3_600_000)
  utimesSync(join(into, '2026-11-01T03-00-00Z.partial-7'), longAgo, longAgo)
  // A database that accepts requests and never responds.
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => server.closeAllConnections())
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const key = `k1:${Buffer.alloc(32).toString('base64')}`
  const child = spawn(process.execPath, [join(root, 'cli', 'backup.ts'), '--into', into], {
    env: {
      PATH: process.env.PATH ?? '',
      DATA_DIR: mkdtempSync(join(folder, 'empty-')),
      DATABASE_URL: url,
      SESSION_STORE_URL: url,
      SEAL_KEYS: key,
    },
  })
  const ended = Promise.all([text(child.stderr), once(child, 'close')])
  await once(server, 'request')
  expect(listNames()).toHaveLength(2)
  expect(listNames()).toContain('2026-11-02T03-00-00Z.partial-')
  child.kill('SIGTERM')
  const [output, [status]] = await ended
  expect([output.trim(), status]).toEqual(['SIGTERM: nothing is left of this backup.', 1])
  expect(listNames()).toEqual(['2026-11-02T03-00-00Z.partial-'])
})

test.each([
  ['backup.ts', ['--to', join(folder, 'copy')]],
  ['reseal.ts', []],
])('%s creates no keys in a folder without a gateway', (script, args) => {
  const DATA_DIR = mkdtempSync(join(folder, 'empty-'))
  expect(runScript(script, args, { DATA_DIR }).output).toBe(
    `There is no database at ${join(DATA_DIR, 'database', 'edge.db')}. For a server of units or containers, name the folder of its settings: --folder /etc/msgnet. If this machine has no edge, use --only host.`,
  )
  const DATABASE_URL = 'http://127.0.0.1:1'
  expect(runScript(script, args, { DATA_DIR, DATABASE_URL }).output).toBe(
    `There are no seal keys in ${DATA_DIR}: set DATA_DIR to the folder of the gateway, or SEAL_KEYS.`,
  )
  expect(readdirSync(DATA_DIR)).toEqual([])
})
