// The containers of docs/run/one-server.md without an engine: each command of the page, on what the Dockerfile brings into the images.
// @module-tag slow

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { freePort } from '@msgnet/cli/settings/ports.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCaller } from '../caller.ts'
import { until } from '../until.ts'
import { Containers, readServices } from './containers.ts'
import { buildImages, type Image, listImageFiles } from './images.ts'

const page = readFileSync(join(projectRoot, 'docs', 'run', 'one-server.md'), 'utf8')
const backupPage = readFileSync(join(projectRoot, 'docs', 'run', 'backup.md'), 'utf8')
const [, block = ''] = /^## The same as containers\n[\s\S]*?^```sh\n([\s\S]*?)^```$/m.exec(page) ?? []
const commands = block.split('\n').filter(Boolean)

const folder = mkdtempSync(join(tmpdir(), 'containers-'))
const deploy = join(folder, 'deploy')
const ports = new Map<number, number>()
const services = readServices(readFileSync(join(projectRoot, 'deploy', 'compose.yaml'), 'utf8'))
let images: Map<string, Image>
let containers: Containers
let output = ''

beforeAll(async () => {
  for (const port of [8787, 9464, 9465]) ports.set(port, await freePort())
})

afterAll(() => {
  containers?.close()
  rmSync(folder, { recursive: true, force: true })
})

function buildAll(): void {
  const built = buildImages(readFileSync(join(projectRoot, 'deploy', 'Dockerfile'), 'utf8'), folder)
  images = built.images
  const engine = { services, images, folder: deploy, bin: built.bin, ports, skipped: ['caddy'] }
  containers = new Containers(engine)
}

/** One line of the page. */
async function runPageCommand(command: string): Promise<void> {
  if (command === 'cd deploy') return
  const [verb = '', ...words] = command
    .replace(/^DOMAIN=\S+ /, '')
    .replace(/^docker compose /, '')
    .split(' ')
  if (verb === 'build') return buildAll()
  if (verb === 'up') return containers.startServices(words.filter((word) => word !== '-d'))
  if (verb !== 'run') throw new Error(`nothing here does ${command}`)
  const [service = '', ...args] = words.filter((word) => word !== '--rm')
  const options = args[0] === 'cli/setup.ts' ? ['--edge', `http://127.0.0.1:${ports.get(8787)}`] : []
  output += containers.runCommand(service, [...args, ...options])
}

test('every command of the page works, and both parts become healthy with the files of their images', async () => {
  expect(commands.length).toBe(6)
  const before = new Map<string, string[]>()
  for (const command of commands) {
    await runPageCommand(command)
    if (command.includes(' build'))
      for (const [name, image] of images) before.set(name, listImageFiles(image))
  }
  expect(output).toContain('Host ')
  const adminToken = /^ADMIN_TOKEN=(.+)$/m.exec(readFileSync(join(deploy, 'config', 'edge.env'), 'utf8'))?.[1]
  const admin = createCaller(`http://127.0.0.1:${ports.get(8787)}`, { admintoken: adminToken ?? '' })
  const linked = await until(async () => (await admin.get('/v1/hosts')).body.hosts.find(isLive))
  expect(linked).toMatchObject({ region: 'local' })
  const [, backup = ''] = /^docker compose run --rm tools (cli\/backup.ts .+)$/m.exec(backupPage) ?? []
  const backupOutput = containers.runCommand('tools', [
    ...backup.split(' '),
    '--data',
    join(deploy, 'volumes'),
  ])
  expect(backupOutput).toContain('rows and the host’s store are in')
  expect(readdirSync(join(deploy, 'backups'))).toHaveLength(1)
  // A file system that may only be read is enough for them.
  for (const name of ['edge', 'host']) {
    const image = images.get(name)
    expect(image && listImageFiles(image)).toEqual(before.get(name))
    expect([image?.user, image?.stopSignal]).toEqual(['node', 'SIGTERM'])
  }
  expect(existsSync(join(deploy, 'volumes', 'edge', 'database', 'edge.db'))).toBe(true)
  expect(existsSync(join(deploy, 'volumes', 'host', 'host', 'host.db'))).toBe(true)
  for (const name of ['host', 'edge', 'net'])
    expect([name, await containers.stopService(name)]).toEqual([name, 0])
}, 400_000)

const isLive = ({ leaseUntil }: { leaseUntil: string }) => Date.parse(leaseUntil) > Date.now()

test('each service may write into its volumes only, and has no rights beyond those that it names', () => {
  for (const [name, service] of Object.entries(services)) {
    const { read_only, cap_drop, security_opt } = service as unknown as Record<string, unknown>
    if (name === 'tools') continue
    expect([name, read_only, cap_drop, security_opt]).toEqual([
      name,
      true,
      ['ALL'],
      ['no-new-privileges:true'],
    ])
  }
})
