// A laboratory that keeps a gateway ready, for each test that wants one of its own.
// @module-tag slow

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { buildTestingPackage } from '@msgnet/cli/build/testing-package.ts'
import { expect, onTestFinished, test } from 'vitest'
import { startLab } from '../../clients/testing/start-lab.ts'
import { createCaller } from '../caller.ts'
import { recordStart } from '../started-gateways.ts'
import { until } from '../until.ts'
import { createEnvironment } from './languages.ts'

const patient = 240_000
const program = ['sh', join(projectRoot, 'cli', 'node'), join(projectRoot, 'cli', 'lab.ts')]

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'laboratory-spare-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Of those whose files are in this folder. */
function listProcesses(folder: string): number[] {
  const isIts = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`DATA_DIR=${folder}`)
    } catch {
      return false
    }
  }
  return readdirSync('/proc').filter(isIts).map(Number)
}

async function startServer(folder: string): Promise<{ server: ChildProcess; url: string }> {
  recordStart('test/clients/laboratory-spare.test.ts')
  const [command = '', ...args] = program
  const server = spawn(command, [...args, '--port', '0'], {
    cwd: projectRoot,
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    server.kill('SIGKILL')
    await until(() => listProcesses(folder).length === 0, { within: 60_000 })
  })
  for await (const line of createInterface({ input: server.stdout })) {
    const [, url] = /^laboratory ready at (\S+)/.exec(line) ?? []
    if (url) return { server, url }
  }
  throw new Error('the laboratory did not start')
}

test('each test that asks for it has an empty gateway, a clock and a receiver of its own, and ends them', {
  timeout: patient,
}, async () => {
  const folder = createFolder()
  const { url } = await startServer(folder)
  const [one, other] = [await startLab({ url, fresh: true }), await startLab({ url, fresh: true })]
  const instance = await one.createInstance('Shop')
  const friend = await one.phone('Ana')
  await friend.write(instance.number, 'hello')
  await until(async () => (await one.received(instance)).received.some(({ envelope }) => envelope.message))
  const before = await other.now()
  await one.passTime('30d')
  expect((await other.now()) - before).toBeLessThan(86_400_000)
  expect((await other.received()).received).toEqual([])
  const instances = await createCaller(other.baseUrl, { admintoken: other.adminToken }).get('/instance/all')
  expect(instances).toMatchObject({ status: 200, body: [] })
  const kept = await startLab({ url })
  for (const lab of [one, other]) await lab.close()
  await expect(one.now()).rejects.toThrow('There is no laboratory 1')
  expect(await fetch(`${one.baseUrl}/health`).catch(() => 'away')).toBe('away')
  await kept.createInstance()
})

test('a gateway that is started ahead has been used, and is empty again', { timeout: patient }, async () => {
  const folder = createFolder()
  const { url } = await startServer(folder)
  const ready = listProcesses(folder).length
  await startLab({ url, fresh: true })
  await until(() => listProcesses(folder).length > ready)
  const lab = await startLab({ url, fresh: true })
  const admin = createCaller(lab.baseUrl, { admintoken: lab.adminToken })
  expect((await lab.received()).received).toEqual([])
  expect((await admin.get('/instance/all')).body).toEqual([])
  const { body } = await admin.get('/v1/audit')
  expect(JSON.stringify(body)).toContain('instance')
  const shop = await lab.createInstance()
  const id = await (await lab.phone('Ana')).write(shop.number, 'hello')
  await until(async () =>
    (await lab.received()).received.some(({ envelope }) => envelope.message?.messageid === id),
  )
})

test('a laboratory that is killed leaves no process, be its spare ready or still starting', {
  timeout: patient,
}, async () => {
  const folder = createFolder()
  const { server, url } = await startServer(folder)
  const ready = listProcesses(folder).length
  expect(ready).toBeGreaterThan(0)
  await startLab({ url, fresh: true })
  await until(() => listProcesses(folder).length > ready)
  server.kill('SIGKILL')
  await once(server, 'exit')
  await until(() => listProcesses(folder).length === 0, { within: 60_000 })
})

test('a laboratory that is stopped ends its spare while that is still starting, and leaves no file', {
  timeout: patient,
}, async () => {
  const folder = createFolder()
  const { server, url } = await startServer(folder)
  const ready = listProcesses(folder).length
  await startLab({ url, fresh: true })
  await until(() => listProcesses(folder).length > ready)
  server.kill('SIGTERM')
  await once(server, 'exit')
  expect(listProcesses(folder)).toEqual([])
  expect(readdirSync(folder).filter((name) => name.startsWith('msgnet-lab-'))).toEqual([])
})

test('as the set-up of Vitest the package gives each file of tests a fresh gateway, and ends with the run', {
  timeout: patient,
}, async () => {
  recordStart('test/clients/laboratory-spare.test.ts')
  const folder = createFolder()
  const modules = join(folder, 'node_modules')
  await buildTestingPackage(join(modules, '@msgnet', 'testing'))
  symlinkSync(join(projectRoot, 'node_modules', 'vitest'), join(modules, 'vitest'))
  // In place of the package of the gateway, which is made in minutes.
  mkdirSync(join(modules, 'msgnet-gateway', 'cli'), { recursive: true })
  writeFileSync(join(modules, 'msgnet-gateway', 'package.json'), '{}')
  const script = `#!/bin/sh\nshift\ncd ${projectRoot} && exec ${program.join(' ')} "$@"\n`
  writeFileSync(join(modules, 'msgnet-gateway', 'cli', 'msgnet-gateway'), script, { mode: 0o755 })
  const config = `export default { test: { globalSetup: '@msgnet/testing/global-setup' } }`
  writeFileSync(join(folder, 'vitest.config.mjs'), config)
  const oneTest = `import { expect, test } from 'vitest'
import { startLab } from '@msgnet/testing'
test('empty', { timeout: 120_000 }, async () => {
  const lab = await startLab({ fresh: true })
  expect(lab.url).toMatch(/\\/labs\\/\\d+$/)
  expect((await lab.received()).received).toEqual([])
  await lab.createInstance()
  await lab.close()
})`
  for (const name of ['one', 'other']) writeFileSync(join(folder, `${name}.test.mjs`), oneTest)
  const env = createEnvironment({ TMPDIR: folder, NO_COLOR: '1' })
  const run = execFileSync(process.execPath, [join(modules, 'vitest', 'vitest.mjs'), 'run'], {
    cwd: folder,
    env,
    encoding: 'utf8',
  })
  expect(run).toMatch(/Tests\s+2 passed/)
  expect(listProcesses(folder)).toEqual([])
})
