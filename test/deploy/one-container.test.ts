// The whole gateway as one container, without an engine: what the Dockerfile brings into its image, run as deploy/one-container.yaml says.
// @module-tag slow

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { freePort } from '@msgnet/cli/settings/ports.ts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createCaller } from '../caller.ts'
import { until } from '../until.ts'
import { Containers, createTrialVariables, readServices, type Service } from './containers.ts'
import { buildImages, type Image, listImageFiles } from './images.ts'

const readDeploy = (name: string) => readFileSync(join(projectRoot, 'deploy', name), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'one-container-'))
const ports = new Map<number, number>()
const { all } = readServices(readDeploy('one-container.yaml'))
let images: Map<string, Image>
let bin: string

beforeAll(async () => {
  for (const port of [8787, 9464, 9465]) ports.set(port, await freePort())
  ;({ images, bin } = buildImages(readDeploy('Dockerfile'), folder))
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** One that is killed at the end of the test; `own`: settings beside those of the file. */
async function startContainer(own: Partial<Service> = {}): Promise<Containers> {
  const services = { all: { image: 'msgnet-all', ...all, ...own } }
  const containers = new Containers({ services, images, folder, bin, ports, skipped: [] })
  onTestFinished(() => containers.close())
  await containers.startServices([])
  return containers
}

test('one container is the whole gateway on the live network, and everything that it writes is in its volume', async () => {
  const image = images.get('all')
  const before = image && listImageFiles(image)
  const containers = await startContainer()
  const token = readFileSync(join(folder, 'volumes', 'data', 'admin-token'), 'utf8').trim()
  const admin = createCaller(`http://127.0.0.1:${ports.get(8787)}`, { admintoken: token })
  await until(async () => (await admin.get('/v1/hosts')).body.hosts[0]?.live)
  expect((await fetch(`http://127.0.0.1:${ports.get(8787)}/console`)).status).toBe(200)
  // The network is the live one: nothing here simulates it.
  expect(image?.env).toMatchObject({ NETWORK: 'live', HOST: '0.0.0.0' })
  expect([image?.user, image?.stopSignal]).toEqual(['node', 'SIGTERM'])
  expect(await containers.stopService('all')).toBe(0)
  // Node stores what it has compiled when a process ends.
  expect(image && listImageFiles(image)).toEqual(before)
}, 300_000)

test('with the simulated network, one command in the container shows a first message', async () => {
  const environment = await createTrialVariables()
  const containers = await startContainer({ volumes: ['trial:/data'], environment })
  const page = readFileSync(join(projectRoot, 'docs', 'run', 'one-container.md'), 'utf8')
  const [, command = ''] = /^docker exec msgnet (cli\/.+)$/m.exec(page) ?? []
  // The edge is ready before the host is, and with it the gateway that the command looks for.
  await until(() => existsSync(join(folder, 'volumes', 'trial', 'running.json')))
  const printed = containers.runCommand('all', command.split(' '))
  expect(printed).toContain(`Using http://127.0.0.1:${ports.get(8787)}`)
  expect(printed).toContain('webhook messages, signature verified')
  expect(printed).toContain('the friend’s phone decrypted: “It is.')
  // The response may come before the receipt of the delivery, but not this.
  expect(printed).toContain('webhook messages_update, signature verified: Read')
  expect(printed).toContain('The end')
}, 300_000)
