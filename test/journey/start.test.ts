// `npm start` as its user meets it: one clear sentence when it cannot, and an orderly end when it may.
// @module-tag slow

import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeBuilt } from '@msgnet/cli/build/page-files.ts'
import { waitUntilReady } from '@msgnet/cli/http/wait-until-ready.ts'
import { loadSecrets } from '@msgnet/cli/keys/gateway-secrets.ts'
import { planHost } from '@msgnet/cli/parts/host-part.ts'
import { describeLinks } from '@msgnet/cli/settings/describe-links.ts'
import { readSettings } from '@msgnet/cli/settings/gateway-settings.ts'
import { freePort, toUrl } from '@msgnet/cli/settings/ports.ts'
import { readConfig } from '@msgnet/session-host/config.ts'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { createToken } from '@msgnet/shared/random-tokens.ts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startWorld, type World } from '../world.ts'

const root = join(import.meta.dirname, '..', '..')
let world: World

beforeAll(async () => {
  world = await startWorld()
})

afterAll(() => world.close())

// As the command of the package does it.
const quickly = ['--import', join(root, 'shared', 'node', 'quick-imports.ts')]

function runScript(
  script: string,
  env: Record<string, string>,
  options: { uid?: number } = {},
): SpawnSyncReturns<string> {
  const free = {
    PORT: '0',
    SIMULATOR_PORT: '0',
    METRICS_PORT: '0',
    EDGE_METRICS_PORT: '0',
    PATH: process.env.PATH ?? '',
  }
  return spawnSync(process.execPath, [...quickly, join(root, 'cli', script)], {
    env: { ...free, ...env },
    encoding: 'utf8',
    ...options,
  })
}

test('a lock that this user cannot write is named in one sentence', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'))
  // No user can open a folder as a file, and the user of the tests may open all files.
  mkdirSync(join(folder, 'lock'))
  const { status, stderr } = runScript('start.ts', { DATA_DIR: folder })
  rmSync(folder, { recursive: true })
  expect([status, stderr.trim().split('\n').length]).toEqual([1, 1])
  expect(stderr).toContain(join(folder, 'lock'))
})

test('paths outside of the folder of the command are shown whole', () => {
  const output = world.readOutput()
  expect(output).toContain(`  Admin token  ${join(world.dataDir, 'admin-token')}\n`)
  expect(output).toContain(`  Logs         ${join(world.dataDir, 'logs')}/\n`)
  expect(output).not.toContain('../')
})

test('what listens on all addresses of the machine is reached by its loopback', () => {
  expect(['0.0.0.0', '::', '::1', '10.0.0.7'].map((host) => toUrl(host, 80))).toEqual([
    'http://127.0.0.1:80',
    'http://[::1]:80',
    'http://[::1]:80',
    'http://10.0.0.7:80',
  ])
})

test('a gateway that listens on an address of the local network reaches its own parts there, without INSECURE', async () => {
  const HOST = '10.0.0.7'
  const settings = readSettings({ HOST, DATA_DIR: mkdtempSync(join(tmpdir(), 'address-')) })
  const { env } = planHost(settings, await loadSecrets(settings), {
    baseUrl: toUrl(HOST, 8080),
    token: createToken('host'),
    network: { url: 'ws://127.0.0.1:1', rootKey: '00'.repeat(32), mediaCa: '' },
    metricsPort: 0,
  })
  expect(readConfig(env).linkUrl).toBe('ws://10.0.0.7:8080/hosts/v1/link')
})

test('pages that cannot be written are named in one sentence', () => {
  const file = join(root, 'package.json', 'console.js')
  expect(() => writeBuilt(file, '')).toThrow(OperatorError)
  expect(() => writeBuilt(file, '')).toThrow(/cannot write .*console\.js .*build:pages/)
})

test('the start warns of links to files that only this machine can open', () => {
  expect(describeLinks({ MEDIA: 'keep', PUBLIC_URL: '' }).join()).toContain('127.0.0.1')
  expect(describeLinks({ MEDIA: 'keep', PUBLIC_URL: 'https://gateway.example' })).toEqual([])
  expect(describeLinks({ MEDIA: 'off', PUBLIC_URL: '' })).toEqual([])
})

test.each([
  ['PORT', 'eighty'],
  ['NETWORK', 'moon'],
  ['SEAL_KEYS', 'no-colon'],
  ['ADMIN_TOKEN', 'a'.repeat(31)],
  ['ADMIN_TOKEN', 'é'.repeat(32)],
  ['ADMIN_TOKEN', `${'a'.repeat(31)},a`],
  ['WEBHOOK_ALLOWLIST', '127.0.0.1'],
  ['WEBHOOK_ALLOWLIST', '127.0.0.1:8788,127.0.0.1:99999'],
  ['WEBHOOK_ALLOWLIST', 'http://127.0.0.1:8788'],
  ['NETWORK_MEDIA_CA', '/no/such/certificate.pem'],
  ['FFMPEG', '/no/such/program'],
  ['HOST', '203.0.113.7'],
  ['HOST', 'no host'],
  ['DATABASE_URL', 'http://database.example:8080'],
  ['SESSION_STORE_URL', 'http://10.0.0.7:8080'],
  ['GLOBAL_WEBHOOK_URL', 'https://10.1.2.3/hook'],
  ['GLOBAL_WEBHOOK_URL', 'http://shop.example.com/hook'],
  ['HOST_SEAL_KEYS', 'k1:c2hvcnQ='],
  ['ACTION_TIMEOUT_MS', '-1'],
  ['ACTION_TIMEOUT_MS', '999'],
  ['LOG_LEVEL', 'loud'],
  ['LOG_KEEP_MB', '4'],
  ['NETWORK_ROOT_KEY', 'abc'],
  ['CORS_ORIGINS', 'https://app.example/page'],
  ['CORS_ORIGINS', 'https://app.example,*'],
  ['MCP', 'on'],
  ['MCP_TOOLS', 'chat,all'],
  ['COMPATIBILITY', 'on'],
  ['PUBLIC_URL', 'gateway.example'],
  ['PUBLIC_URL', 'https://gateway.example/api'],
])('a wrong %s is named in one sentence and the start ends with 1', (variable, value) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-'))
  const { status, stderr } = runScript('start.ts', { [variable]: value, DATA_DIR: dataDir })
  rmSync(dataDir, { recursive: true })
  expect(status).toBe(1)
  expect(stderr).toContain(`${variable} must `)
  expect(stderr.trim().split('\n')).toHaveLength(1)
})

test('a program of the settings that cannot be run is refused with the reason', () => {
  const refuse = (FFMPEG: string) => () => readSettings({ FFMPEG })
  expect(refuse('/no/such/program')).toThrow(
    'FFMPEG must be the path of a program: that one cannot be run (ENOENT).',
  )
  expect(refuse(import.meta.filename)).toThrow('cannot be run (EACCES).')
  expect(refuse(root)).toThrow('FFMPEG must be the path of a program: that is no file.')
  expect(refuse(process.execPath)).not.toThrow()
})

test('INSECURE=on allows a short admin token, and plain http to another machine', async () => {
  const own = await startWorld({ INSECURE: 'on', ADMIN_TOKEN: 'sixteen letters.' })
  expect((await own.admin.get('/v1/capabilities')).status).toBe(200)
  await own.close()
  const url = 'http://database.invalid:8080'
  for (const variable of ['DATABASE_URL', 'SESSION_STORE_URL']) {
    const dataDir = mkdtempSync(join(tmpdir(), 'gateway-'))
    const wish = { INSECURE: 'on', [variable]: url, DATA_DIR: dataDir }
    // The next complaint is another one: both are read, and this is no place to go on to.
    const { status, stderr } = runScript('start.ts', {
      ...wish,
      PORT: String(new URL(world.run.baseUrl).port),
    })
    rmSync(dataDir, { recursive: true })
    expect(status).toBe(1)
    expect(stderr).toMatch(/^Port \d+ on 127\.0\.0\.1 is taken/)
  }
})

test.each(['/dev/null', '/proc/of-nobody'])(
  'a data folder that cannot be created (%s) is named in one sentence',
  (dataDir) => {
    const { status, stderr } = runScript('start.ts', { DATA_DIR: dataDir })
    expect(status).toBe(1)
    expect(stderr).toContain('DATA_DIR must be ')
    expect(stderr.trim().split('\n')).toHaveLength(1)
  },
)

test('a foreign data folder that others can read is refused in one sentence', () => {
  // For users other than root, the owner counts.
  const unprivileged = process.getuid?.() === 0 ? { uid: 65_534 } : {}
  const { status, stderr } = runScript('start.ts', { DATA_DIR: '/usr' }, unprivileged)
  expect(status).toBe(1)
  expect(stderr.trim()).toBe(
    'Other users can read /usr, and this user may not change that: set DATA_DIR to another folder.',
  )
})

test('a taken port is named in one sentence and the start ends with 1', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as { port: number }
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-'))
  const { status, stderr } = runScript('start.ts', { PORT: String(port), DATA_DIR: dataDir })
  taken.close()
  rmSync(dataDir, { recursive: true })
  expect(status).toBe(1)
  expect(stderr).toMatch(new RegExp(`^Port ${port} on 127.0.0.1 is taken: .*PORT`))
})

/** A server that never responds; returns its port and a promise of the first connection. */
async function startUnresponsiveServer() {
  const visited = Promise.withResolvers<void>()
  const server = createServer(() => visited.resolve())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}`, visited: visited.promise, close: () => server.close() }
}

test('a part that did not respond one probe is probed again', async () => {
  let connections = 0
  const part = createHttpServer((_, response) => {
    connections += 1
    if (connections > 1) response.end()
  })
  await new Promise<void>((resolve) => part.listen(0, '127.0.0.1', resolve))
  const { port } = part.address() as { port: number }
  await waitUntilReady(`http://127.0.0.1:${port}/health`, AbortSignal.timeout(50_000))
  part.closeAllConnections()
  part.close()
  expect(connections).toBe(2)
})

const findClosedPort = async (): Promise<number> => {
  const port = await freePort()
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
  return port
}

test('an unreachable database is named in one sentence, and no part keeps running', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-'))
  const simulator = await findClosedPort()
  const { status, stderr } = runScript('start.ts', {
    DATABASE_URL: `http://127.0.0.1:${await findClosedPort()}`,
    SIMULATOR_PORT: String(simulator),
    DATA_DIR: dataDir,
  })
  rmSync(dataDir, { recursive: true })
  expect(status).toBe(1)
  expect(stderr).toMatch(/^DATABASE_URL: the database cannot be used/)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  await expect(fetch(`http://127.0.0.1:${simulator}/sim/network`)).rejects.toThrow()
})

/** One whose database never answers. */
async function startUnready(dataDir: string) {
  const database = await startUnresponsiveServer()
  const simulator = await findClosedPort()
  const child = spawn(process.execPath, [...quickly, join(root, 'cli', 'start.ts')], {
    env: {
      PORT: '0',
      METRICS_PORT: '0',
      EDGE_METRICS_PORT: '0',
      SIMULATOR_PORT: String(simulator),
      PATH: process.env.PATH ?? '',
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  await database.visited
  onTestFinished(() => {
    database.close()
    rmSync(dataDir, { recursive: true })
  })
  return { child, ended, simulator }
}

test('SIGTERM before the gateway is ready ends the parts that were started', async () => {
  const { child, ended, simulator } = await startUnready(mkdtempSync(join(tmpdir(), 'gateway-')))
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
  expect(output).toBe('SIGTERM: stopping.\n')
  await expect(fetch(`http://127.0.0.1:${simulator}/sim/network`)).rejects.toThrow()
})

test('while a gateway starts, nothing tells the addresses of one that was killed', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-'))
  const record = join(dataDir, 'running.json')
  writeFileSync(record, JSON.stringify(world.run))
  const { child, ended } = await startUnready(dataDir)
  expect(existsSync(record)).toBe(false)
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
})

test('a second gateway on the same data folder is refused', () => {
  const { status, stderr } = runScript('start.ts', { DATA_DIR: world.dataDir })
  expect(status).toBe(1)
  expect(stderr).toContain('Another gateway is running')
})

test('secrets are in files that only their owner can read, and nowhere else in the data folder', () => {
  const secretFiles = ['admin-token', 'host-token', 'seal-keys', 'host-seal-keys']
  for (const name of secretFiles) expect(statSync(join(world.dataDir, name)).mode & 0o777).toBe(0o600)
  const secrets = ['admin-token', 'host-token', 'seal-keys', 'host-seal-keys'].map(
    (name) => readFileSync(join(world.dataDir, name), 'utf8').trim().split(' ').at(-1) ?? '',
  )
  const others = readdirSync(world.dataDir, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !secretFiles.includes(entry.name),
  )
  expect(others.length).toBeGreaterThan(3)
  for (const { parentPath, name } of others) {
    const bytes = readFileSync(join(parentPath, name))
    for (const secret of secrets) expect(bytes.includes(secret), name).toBe(false)
  }
})

test('SIGTERM ends every part', async () => {
  const own = await startWorld()
  const pids = Object.values(own.run.parts)
  expect(pids).toHaveLength(3)
  await own.close()
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
})

test('the demo runs against a gateway and ends with a verified signature', async () => {
  const own = await startWorld()
  const { status, stdout } = runScript('demo.ts', { DATA_DIR: own.dataDir })
  await own.close()
  expect(stdout).toContain('signature verified')
  expect(stdout).toContain('▄')
  expect(status).toBe(0)
  // The picture of the README shows the same steps.
  const listSteps = (text: string) => [...text.matchAll(/▸ ([^<\n]+)/g)].map(([, step]) => step)
  const picture = readFileSync(join(root, 'cli', 'demo', 'demo.svg'), 'utf8')
  expect(listSteps(picture)).toEqual(listSteps(stdout))
})
