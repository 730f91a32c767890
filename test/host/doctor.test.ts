// What the doctor says of a sound network and device, and of each fault that it is for.

import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { examine } from '../../session-host/doctor/doctor.ts'
import type { Finding } from '../../session-host/doctor/finding.ts'
import {
  checkClock,
  checkDisk,
  checkFolder,
  checkNode,
  checkOpenFiles,
} from '../../session-host/doctor/machine.ts'
import { checkVersion } from '../../session-host/doctor/network.ts'
import { startHttpProxy } from '../proxy.ts'
import { KIND, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())
afterEach(async () => {
  await world.sim('DELETE', '/faults')
  await world.sim('PATCH', '/network', { oldestVersion: null, clockAhead: 0 })
})

const mediaHost = () => new URL(world.simulator.mediaUrl).host

async function look(
  options: Partial<Parameters<typeof examine>[1]> = {},
  change: object = {},
): Promise<Finding[]> {
  const network = { ...world.config.network, mediaCa: world.simulator.mediaCa, ...change }
  return examine({ ...world.config, network }, { mediaHosts: [mediaHost()], ...options })
}

const find = (findings: Finding[], check: string) => findings.find((one) => one.check === check)

describe('a sound network', () => {
  test('fails in nothing, and nobody logs in', async () => {
    const findings = await look()
    expect(findings.filter(({ state }) => state === 'fail')).toEqual([])
    expect(find(findings, 'network')).toMatchObject({
      state: 'ok',
      says: expect.stringContaining('certificate sound'),
    })
    expect(find(findings, 'media host')).toMatchObject({ state: 'ok' })
    expect(find(findings, 'clock')).toMatchObject({ state: 'ok' })
    const { entries } = await world.sim<{ entries: { what: string }[] }>('GET', '/log')
    expect(entries.filter(({ what }) => what === 'login')).toEqual([])
  })

  test('with a linked device: its keys and lists are read while the host runs', async () => {
    const instance = await world.linked('5511360000001')
    const findings = await look({ instance })
    expect(find(findings, 'device')).toMatchObject({ state: 'ok', says: 'connected as device 1, with a LID' })
    expect(find(findings, 'pre-keys')).toMatchObject({
      state: 'ok',
      says: expect.stringMatching(/^\d+ here/),
    })
    expect(findings.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['own devices', 'privacy tokens', 'LID migration', 'LID pairs', 'app state']),
    )
    expect(find(await look({ instance: crypto.randomUUID() }), 'device')).toMatchObject({ state: 'fail' })
  })

  test('with a device that is being linked: it is no device yet', async () => {
    const instance = crypto.randomUUID()
    await world.edge.act(instance, 'session.connect', KIND)
    const device = find(await look({ instance }), 'device')
    expect(device).toMatchObject({ state: 'fail', advice: 'Link the device again.' })
  })
})

describe('a fault', () => {
  test('a version that the network refuses fails with the version that it wants', async () => {
    await world.sim('PATCH', '/network', { oldestVersion: '2.3000.2000000000' })
    const findings = await look()
    expect(find(findings, 'network')).toMatchObject({
      state: 'fail',
      says: expect.stringContaining('refuses our version (405)'),
    })
    expect(find(findings, 'version')).toMatchObject({
      state: 'warn',
      advice: expect.stringContaining('NETWORK_VERSION=2.3000.2000000000'),
    })
  })

  test('a certificate of another authority fails as such', async () => {
    const findings = await look({}, { rootKey: Buffer.alloc(32, 9) })
    expect(find(findings, 'network')).toMatchObject({
      state: 'fail',
      says: expect.stringContaining('is not who it says'),
    })
    // The driver has one root for the whole process.
    await look()
  })

  test('a network that is not reached, or hangs up, fails with the reason', async () => {
    await world.sim('POST', '/faults', { kind: 'unreachable' })
    expect(find(await look(), 'network')).toMatchObject({
      state: 'fail',
      says: expect.stringContaining('was not reached'),
    })
    const nowhere = await look({}, { url: `ws://127.0.0.1:${await findFreePort()}/ws/chat` })
    expect(find(nowhere, 'network')).toMatchObject({
      state: 'fail',
      says: expect.stringContaining('ECONNREFUSED'),
    })
    expect(find(nowhere, 'clock')).toMatchObject({ state: 'warn' })
  })

  test('a network that takes the connection and says nothing fails as such', async () => {
    const server = createTcpServer((socket) => socket.resume().on('error', () => socket.destroy()))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const findings = await look(
      { within: 500 },
      { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws/chat` },
    )
    expect(find(findings, 'network')).toMatchObject({
      state: 'fail',
      says: expect.stringContaining('says nothing'),
    })
    server.close()
  })

  test('the command says the same, and ends with 1', async () => {
    await world.sim('PATCH', '/network', { oldestVersion: '2.3000.2000000000' })
    const env = { ...process.env, DATA_DIR: world.dataDir, SIMULATOR_PORT: String(world.simulator.port) }
    const cwd = join(import.meta.dirname, '..', '..')
    const ended = await promisify(execFile)('sh', ['cli/node', 'cli/doctor.ts', '--json'], {
      cwd,
      env,
    }).catch((thrown: { code: number; stdout: string }) => thrown)
    expect(ended).toMatchObject({ code: 1 })
    const findings = JSON.parse(ended.stdout) as Finding[]
    expect(find(findings, 'network')?.state).toBe('fail')
    expect(find(findings, 'media host')?.state).toBe('ok')
  })

  test('a media host that is down, or has a certificate of another authority, fails', async () => {
    const down = `127.0.0.1:${await findFreePort()}`
    const findings = await look({ mediaHosts: [mediaHost(), down] })
    const hosts = findings.filter(({ check }) => check === 'media host')
    expect(hosts.map(({ state }) => state)).toEqual(['ok', 'fail'])
    expect(find(await look({}, { mediaCa: undefined }), 'media host')).toMatchObject({ state: 'fail' })
  })

  test('a clock that is wrong by seconds is a warning, by minutes a failure', async () => {
    await world.sim('PATCH', '/network', { clockAhead: 20_000 })
    expect(find(await look(), 'clock')).toMatchObject({
      state: 'warn',
      says: expect.stringMatching(/^\d+ s behind/),
    })
    await world.sim('PATCH', '/network', { clockAhead: -600_000 })
    expect(find(await look(), 'clock')).toMatchObject({
      state: 'fail',
      says: expect.stringContaining('ahead of'),
    })
  })

  test('a proxy is told with the address that the world sees, and fails when it does not connect', async () => {
    const proxy = await startHttpProxy()
    const asked: string[] = []
    const echo = createServer((_, response) => {
      asked.push('')
      response.end(asked.length === 1 ? 'ip=203.0.113.7\n' : 'ip=198.51.100.1\n')
    })
    await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(echo.address() as AddressInfo).port}/`
    const findings = await look({ proxy: proxy.url, echo: url })
    expect(find(findings, 'proxy')).toMatchObject({
      state: 'ok',
      says: 'leaves by 203.0.113.7; without it 198.51.100.1',
    })
    expect(find(findings, 'network')).toMatchObject({ state: 'ok' })
    expect(proxy.served).toContain(new URL(world.simulator.networkUrl).host)
    proxy.refusing = true
    expect(find(await look({ proxy: proxy.url, echo: url }), 'proxy')).toMatchObject({ state: 'fail' })
    echo.close()
    await proxy.close()
  })
})

describe('the machine', () => {
  test('a Node that is too old, too few files and a full disk fail', async () => {
    expect([checkNode('24.1.0').state, checkNode('20.19.1').state]).toEqual(['ok', 'fail'])
    const limits = (soft: string) =>
      `Max open files            ${soft}              524288               files\n`
    const states = ['524288', '400', '250', 'unlimited'].map(
      (soft) => checkOpenFiles(200, limits(soft)).state,
    )
    expect(states).toEqual(['ok', 'warn', 'fail', 'ok'])
    const space = (freeBytes: number) => checkDisk('/', async () => ({ freeBytes, sizeBytes: 1e12 }))
    expect([(await space(1e11)).state, (await space(1e9)).state, (await space(1e8)).state]).toEqual([
      'ok',
      'warn',
      'fail',
    ])
  })

  test('a data folder that is not there, or that others can read, is a warning', () => {
    expect(checkFolder('/nowhere/at/all')).toMatchObject({ state: 'warn' })
    expect(checkFolder('/usr')).toMatchObject({ state: expect.stringMatching(/warn|fail/) })
    expect(checkFolder(world.dataDir)).toMatchObject({ state: 'ok' })
  })

  test('a network that says no time and no version is a warning, and a newer version of ours is none', () => {
    expect(checkClock(undefined)).toMatchObject({ state: 'warn' })
    const site = (text: string) => ({ status: 200, date: undefined, text })
    expect(checkVersion('2.3000.10', undefined)).toMatchObject({ state: 'warn' })
    expect(checkVersion('2.3000.10', site('"client_revision":10,'))).toMatchObject({ state: 'ok' })
    expect(checkVersion('2.3000.10', site('\\"client_revision\\":12,'))).toMatchObject({
      state: 'warn',
      says: expect.stringContaining('2 builds newer'),
    })
  })
})

async function findFreePort(): Promise<number> {
  const server = createTcpServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
