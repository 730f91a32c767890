// deploy/install.sh in a folder in place of /: the script itself, npm's scripts, the parts and their unit files are real; systemctl, useradd, getent,
// and npm's installation are stand-ins (test/deploy/machine.ts).
// @module-tag slow

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { freePort } from '@msgnet/cli/settings/ports.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { canRun } from '../optional-programs.ts'
import { createMachine, type Machine } from './machine.ts'

const script = join(projectRoot, 'deploy', 'install.sh')
const ports: Record<string, number> = {}
let machine: Machine

beforeAll(async () => {
  for (const name of ['PORT', 'EDGE_METRICS_PORT', 'METRICS_PORT']) ports[name] = await freePort()
  machine = await createMachine()
})
afterAll(() => machine.close())

const variables = () => Object.entries(ports).map(([name, port]) => `${name}=${port}`)
/** `before`: commands of the same shell. */
const installAfter = (before: string, ...options: string[]) =>
  machine.runCommands([
    `${before} INSTALL_TEST_ROOT=${machine.root} ${variables().join(' ')} sh ${script} ${options.join(' ')}`,
  ])
const install = (...options: string[]) => installAfter('', ...options)
const listFiles = () =>
  ['etc', 'opt', 'var', 'users'].flatMap((folder) =>
    existsSync(join(machine.root, folder))
      ? readdirSync(join(machine.root, folder)).map((name) => `${folder}/${name}`)
      : [],
  )
const readSettings = (part: string) => parseEnv(machine.readFile(`/etc/msgnet/${part}.env`))
// biome-ignore lint/suspicious/noExplicitAny: an answer is looked into by name.
const ask = async (path: string): Promise<any> => {
  const { ADMIN_TOKEN: admintoken = '' } = readSettings('edge')
  return (await fetch(`http://127.0.0.1:${ports.PORT}${path}`, { headers: { admintoken } })).json()
}

test('the script is one that every POSIX shell reads', ({ skip }) => {
  execFileSync('sh', ['-n', script])
  if (!canRun('shellcheck', ['--version'])) skip('shellcheck is not on this machine')
  expect(execFileSync('shellcheck', ['--shell=sh', script], { encoding: 'utf8' })).toBe('')
})

test('a rehearsal prints each step and changes nothing', async () => {
  const before = listFiles()
  const printed = await install('--domain', 'gateway.example', '--dry-run')
  for (const part of [
    'useradd --system',
    'npm ci --omit=dev',
    'cli/setup.ts',
    'enable msgnet-edge',
    'enable msgnet-host',
  ])
    expect(printed).toMatch(new RegExp(`would run.*${part}`))
  expect(printed).toContain('Nothing was changed.')
  expect(listFiles()).toEqual(before)
})

test('what is missing is said at once, before anything is changed', async () => {
  const before = listFiles()
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(ports.METRICS_PORT, '127.0.0.1', resolve))
  try {
    const refused = await install().catch((error: Error) => error.message)
    expect(refused).toContain('Nothing was changed:')
    expect(refused).toContain('The domain of this server is missing: --domain gateway.example')
    expect(refused).toContain(`Port ${ports.METRICS_PORT} is in use, and no msgnet-host runs here.`)
  } finally {
    await new Promise((resolve) => taken.close(resolve))
  }
  await expect(install('--purge')).rejects.toThrow('--purge goes with --uninstall only.')
  await expect(install('--domian', 'x')).rejects.toThrow('--domian is no option.')
  await expect(install('--root', '/somewhere')).rejects.toThrow('--root is no option.')
  await expect(install('--domain', '--dry-run')).rejects.toThrow('--domain needs a value.')
  await expect(install('--domain', "''")).rejects.toThrow('--domain needs a value.')
  for (const name of ['https://gateway.example', "'gateway.example x'", 'gateway..example', '.example'])
    await expect(install('--domain', name)).rejects.toThrow('--domain must be a name such as gateway.example')
  expect(listFiles()).toEqual(before)
})

test('the keys of a host that is registered are not replaced where the settings of the edge are missing', async () => {
  const folder = join(machine.root, 'etc', 'msgnet')
  const before = existsSync(folder)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'host.env'), 'HOST_SEAL_KEYS=h1:aaaa\nHOST_TOKEN=mgh_one\n')
  await expect(install('--domain', 'gateway.example', '--dry-run')).rejects.toThrow(
    /etc\/msgnet\/host\.env is of a host that is registered, and there is no edge\.env/,
  )
  rmSync(before ? join(folder, 'host.env') : folder, { recursive: true })
})

test('it installs a gateway that is ready, again without another key, takes it away and brings it back on the same data (with stand-ins for systemctl and useradd)', async () => {
  const printed = await installAfter('umask 077;', '--domain', 'gateway.example')
  expect(printed).toContain(`The gateway is ready at http://127.0.0.1:${ports.PORT}`)
  expect(await ask('/health/ready')).toEqual({ status: 'ready' })
  const { hosts } = await ask('/v1/hosts')
  expect(hosts).toHaveLength(1)
  expect(existsSync(join(machine.root, 'users', 'msgnet'))).toBe(true)
  for (const part of ['edge', 'host'])
    expect(statSync(join(machine.root, 'etc', 'msgnet', `${part}.env`)).mode & 0o777).toBe(0o600)
  expect(readdirSync(join(machine.root, 'etc', 'systemd', 'system')).sort()).toEqual([
    'msgnet-backup.service',
    'msgnet-backup.timer',
    'msgnet-edge.service',
    'msgnet-host.service',
  ])
  const settings = [readSettings('edge'), readSettings('host')]
  expect(settings[0]).toMatchObject({ PUBLIC_URL: 'https://gateway.example', PORT: String(ports.PORT) })

  // The user of the units reads it.
  for (const file of ['opt/msgnet', 'opt/msgnet/cli/start.ts'])
    expect(statSync(join(machine.root, file)).mode & 0o004).toBe(0o004)
  await expect(install('--domain', 'other.example')).rejects.toThrow('change PUBLIC_URL in')

  // Ports of the environment are of the first installation only.
  await machine.runCommands([`PORT=1 INSTALL_TEST_ROOT=${machine.root} sh ${script}`])
  expect([readSettings('edge'), readSettings('host')]).toEqual(settings)
  expect((await ask('/v1/hosts')).hosts).toHaveLength(1)
  // Of before it was brought up to date.
  expect(readdirSync(join(machine.root, 'var', 'backups', 'msgnet'))).toHaveLength(1)
  expect(listFiles()).toContain('opt/msgnet.previous')

  const rehearsed = await install('--uninstall', '--dry-run')
  expect([rehearsed.includes('Nothing was changed.'), rehearsed.includes('Removed')]).toEqual([true, false])
  expect(await ask('/health/ready')).toEqual({ status: 'ready' })
  expect(await install('--uninstall')).toContain('Removed. Keys are still in')
  await expect(ask('/health/ready')).rejects.toThrow()
  expect(readdirSync(join(machine.root, 'opt'))).toEqual([])
  expect(readdirSync(join(machine.root, 'etc', 'systemd', 'system'))).toEqual([])
  await install()
  expect((await ask('/v1/hosts')).hosts).toEqual([expect.objectContaining({ id: hosts[0].id })])

  await install('--uninstall', '--purge')
  expect(listFiles().filter((path) => !path.startsWith('var/'))).toEqual(['etc/caddy', 'etc/systemd'])
  expect(readdirSync(join(machine.root, 'var', 'lib'))).toEqual([])
  expect(readdirSync(join(machine.root, 'var', 'backups', 'msgnet'))).not.toEqual([])
}, 600_000)

test('its page names every option that it has, and no other', () => {
  const page = readFileSync(join(projectRoot, 'docs', 'run', 'install.md'), 'utf8')
  const [, own = ''] = /^usage='([^']*)'/m.exec(readFileSync(script, 'utf8')) ?? []
  const list = (text: string) =>
    new Set([...text.matchAll(/(?<![\w-])--[a-z][\w-]+/g)].map(([option]) => option))
  expect([...list(page)].sort()).toEqual([...list(own)].sort())
})
