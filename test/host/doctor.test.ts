// What the doctor says of a sound network and device, and of each fault that it is for.

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { lockDataDir } from '@msgnet/cli/data-folder/folder-lock.ts'
import {
  checkClock,
  checkDisk,
  checkFolder,
  checkLock,
  checkNode,
  checkOpenFiles,
} from '@msgnet/session-host/doctor/check-machine.ts'
import { checkVersion } from '@msgnet/session-host/doctor/check-network.ts'
import type { Finding } from '@msgnet/session-host/doctor/doctor-finding.ts'
import { runChecks } from '@msgnet/session-host/doctor/run-checks.ts'
import { MINUTE } from '@msgnet/shared/date-time.ts'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
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

const createMediaHost = () => new URL(world.simulator.mediaUrl).host

async function runDoctor(
  options: Partial<Parameters<typeof runChecks>[1]> = {},
  change: object = {},
): Promise<Finding[]> {
  const network = { ...world.config.network, mediaCa: world.simulator.mediaCa, ...change }
  return runChecks({ ...world.config, network }, { mediaHosts: [createMediaHost()], ...options })
}

const findFinding = (findings: Finding[], check: string) => findings.find((one) => one.check === check)

describe('a working network', () => {
  test('passes every check without a login', async () => {
    const findings = await runDoctor()
    expect(findings.filter(({ state }) => state === 'fail')).toEqual([])
    expect(findFinding(findings, 'network')).toMatchObject({
      state: 'ok',
      says: expect.stringContaining('certificate sound'),
    })
    expect(findFinding(findings, 'media host')).toMatchObject({ state: 'ok' })
    expect(findFinding(findings, 'clock')).toMatchObject({ state: 'ok' })
    const { entries } = await world.sim<{ entries: { what: string }[] }>('GET', '/log')
    expect(entries.filter(({ what }) => what === 'login')).toEqual([])
  })

  test('passes with a linked device: its keys and lists are read while the host runs', async () => {
    const instance = await world.linkPhone('5511360000001')
    const findings = await runDoctor({ instance })
    expect(findFinding(findings, 'device')).toMatchObject({
      state: 'ok',
      says: 'connected as device 1, with a LID',
    })
    expect(findFinding(findings, 'pre-keys')).toMatchObject({
      state: 'ok',
      says: expect.stringMatching(/^\d+ here/),
    })
    expect(findings.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['own devices', 'privacy tokens', 'LID migration', 'LID pairs', 'app state']),
    )
    expect(findFinding(await runDoctor({ instance: crypto.randomUUID() }), 'device')).toMatchObject({
      state: 'fail',
    })
  })

  test('fails for a device whose linking has not ended, and advises to link it', async () => {
    const instance = crypto.randomUUID()
    await world.edge.performAction(instance, 'session.connect', KIND)
    const device = findFinding(await runDoctor({ instance }), 'device')
    expect(device).toMatchObject({ state: 'fail', advice: 'Link the device again.' })
  })
})

describe('a fault', () => {
  test('a refused version fails and names the version that the network expects', async () => {
    await world.sim('PATCH', '/network', { oldestVersion: '2.3000.2000000000' })
    const findings = await runDoctor()
    expect(findFinding(findings, 'network')).toMatchObject({
      state: 'fail',
      says: expect.stringContaining('refuses our version (405)'),
    })
    expect(findFinding(findings, 'version')).toMatchObject({
      state: 'warn',
      advice: expect.stringContaining('NETWORK_VERSION=2.3000.2000000000'),
    })
  })

  test('a certificate of another authority is a failure', async () => {
    const findings = await runDoctor({}, { rootKey: Buffer.alloc(32, 9) })
    expect(findFinding(findings, 'network')).toMatchObject({
      state: 'fail',
      says: expect.stringContaining('is not the network'),
    })
    // The driver has one root for the whole process.
    await runDoctor()
  })

  test('a network that is unreachable, or closes the connection, fails with the reason', async () => {
    await world.sim('POST', '/faults', { kind: 'unreachable' })
    expect(findFinding(await runDoctor(), 'network')).toMatchObject({
      state: 'fail',
      says: expect.stringContaining('was not reached'),
    })
    const nowhere = await runDoctor({}, { url: `ws://127.0.0.1:${await findFreePort()}/ws/chat` })
    expect(findFinding(nowhere, 'network')).toMatchObject({
      state: 'fail',
      says: expect.stringContaining('ECONNREFUSED'),
    })
    expect(findFinding(nowhere, 'clock')).toMatchObject({ state: 'warn' })
  })

  test('an unresponsive network is a failure', async () => {
    const server = createTcpServer((socket) => socket.resume().on('error', () => socket.destroy()))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const findings = await runDoctor(
      { within: 500 },
      { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws/chat` },
    )
    expect(findFinding(findings, 'network')).toMatchObject({
      state: 'fail',
      says: expect.stringContaining('does not respond'),
    })
    server.close()
  })

  test('the command reports the same and exits with 1', async () => {
    await world.sim('PATCH', '/network', { oldestVersion: '2.3000.2000000000' })
    const env = { ...process.env, DATA_DIR: world.dataDir, SIMULATOR_PORT: String(world.simulator.port) }
    const cwd = join(import.meta.dirname, '..', '..')
    const ended = await promisify(execFile)('sh', ['cli/node', 'cli/doctor-command.ts', '--json'], {
      cwd,
      env,
    }).catch((error: { code: number; stdout: string }) => error)
    expect(ended).toMatchObject({ code: 1 })
    const findings = JSON.parse(ended.stdout) as Finding[]
    expect(findFinding(findings, 'network')?.state).toBe('fail')
    expect(findFinding(findings, 'media host')?.state).toBe('ok')
  })

  test('a media host that is down, or has a certificate of another authority, fails', async () => {
    const down = `127.0.0.1:${await findFreePort()}`
    const findings = await runDoctor({ mediaHosts: [createMediaHost(), down] })
    const hosts = findings.filter(({ check }) => check === 'media host')
    expect(hosts.map(({ state }) => state)).toEqual(['ok', 'fail'])
    expect(findFinding(await runDoctor({}, { mediaCa: undefined }), 'media host')).toMatchObject({
      state: 'fail',
    })
  })

  test('a clock that is wrong by seconds is a warning, by minutes a failure', async () => {
    await world.sim('PATCH', '/network', { clockAhead: 20_000 })
    expect(findFinding(await runDoctor(), 'clock')).toMatchObject({
      state: 'warn',
      says: expect.stringMatching(/^\d+ s behind/),
    })
    await world.sim('PATCH', '/network', { clockAhead: -600_000 })
    expect(findFinding(await runDoctor(), 'clock')).toMatchObject({
      state: 'fail',
      says: expect.stringContaining('ahead of'),
    })
  })

  test('a proxy is reported with its public address, and fails when it does not connect', async () => {
    const proxy = await startHttpProxy()
    const requested: string[] = []
    const echo = createServer((_, response) => {
      requested.push('')
      response.end(requested.length === 1 ? 'ip=203.0.113.7\n' : 'ip=198.51.100.1\n')
    })
    await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(echo.address() as AddressInfo).port}/`
    const findings = await runDoctor({ proxy: proxy.url, echo: url })
    expect(findFinding(findings, 'proxy')).toMatchObject({
      state: 'ok',
      says: 'leaves by 203.0.113.7; without it 198.51.100.1',
    })
    expect(findFinding(findings, 'network')).toMatchObject({ state: 'ok' })
    expect(proxy.served).toContain(new URL(world.simulator.networkUrl).host)
    proxy.refusing = true
    expect(findFinding(await runDoctor({ proxy: proxy.url, echo: url }), 'proxy')).toMatchObject({
      state: 'fail',
    })
    echo.close()
    await proxy.close()
  })

  test('an exit that takes a minute to show its address is no fault of the clock', async () => {
    const proxy = await startHttpProxy()
    let passed = 0
    const readTime = Date.now
    const now = vi.spyOn(Date, 'now').mockImplementation(() => readTime() + passed)
    const echo = createServer((_, response) => {
      passed += MINUTE
      response.end('ip=203.0.113.7\n')
    })
    onTestFinished(async () => {
      now.mockRestore()
      echo.close()
      await proxy.close()
    })
    await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(echo.address() as AddressInfo).port}/`
    const findings = await runDoctor({ proxy: proxy.url, echo: url })
    expect(passed).toBe(2 * MINUTE)
    expect(findFinding(findings, 'clock')).toMatchObject({ state: 'ok' })
  })
})

describe('the machine', () => {
  test('a Node that is too old, too few files and a full disk fail', async () => {
    expect([checkNode('24.1.0').state, checkNode('20.19.1').state]).toEqual(['ok', 'fail'])
    const formatLimits = (soft: string) =>
      `Max open files            ${soft}              524288               files\n`
    const states = ['524288', '400', '250', 'unlimited'].map(
      (soft) => checkOpenFiles(200, formatLimits(soft)).state,
    )
    expect(states).toEqual(['ok', 'warn', 'fail', 'ok'])
    const checkSpace = (freeBytes: number) => checkDisk('/', async () => ({ freeBytes, sizeBytes: 1e12 }))
    expect([
      (await checkSpace(1e11)).state,
      (await checkSpace(1e9)).state,
      (await checkSpace(1e8)).state,
    ]).toEqual(['ok', 'warn', 'fail'])
  })

  test('a data folder that is not there, or that others can read, is a warning', () => {
    expect(checkFolder('/nowhere/at/all')).toMatchObject({ state: 'warn' })
    expect(checkFolder('/usr')).toMatchObject({ state: expect.stringMatching(/warn|fail/) })
    expect(checkFolder(world.dataDir)).toMatchObject({ state: 'ok' })
  })

  test('says whether a gateway has locked the data folder, and fails for a lock that cannot be read', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'lock-'))
    onTestFinished(() => rmSync(dataDir, { recursive: true }))
    expect(checkLock(dataDir)).toMatchObject({ state: 'ok', says: 'no gateway has locked the folder' })
    const lock = lockDataDir(dataDir)
    expect(checkLock(dataDir)).toMatchObject({ state: 'ok', says: 'a gateway runs on the folder' })
    lock.release()
    expect(checkLock(dataDir)).toMatchObject({ state: 'ok', says: 'no gateway runs on the folder' })
    writeFileSync(join(dataDir, 'lock'), 'not a database, and long enough to be read as one'.repeat(3))
    expect(checkLock(dataDir)).toMatchObject({
      state: 'fail',
      says: expect.stringContaining('not a database'),
    })
  })

  test('a network without a time and a version is a warning, and a newer version of ours is not', () => {
    expect(checkClock(undefined, Date.now())).toMatchObject({ state: 'warn' })
    const createSite = (text: string) => ({ status: 200, date: undefined, text })
    expect(checkVersion('2.3000.10', undefined)).toMatchObject({ state: 'warn' })
    expect(checkVersion('2.3000.10', createSite('"client_revision":10,'))).toMatchObject({ state: 'ok' })
    expect(checkVersion('2.3000.10', createSite('\\"client_revision\\":12,'))).toMatchObject({
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
