// The whole gateway as one container, without an engine: what the Dockerfile brings into its image, run as deploy/one-container.yaml says.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { freePort } from '@msgnet/cli/settings/ports.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCaller } from '../caller.ts'
import { until } from '../until.ts'
import { Containers, readServices } from './containers.ts'
import { buildImages, type Image, listImageFiles } from './images.ts'

const readDeploy = (name: string) => readFileSync(join(projectRoot, 'deploy', name), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'one-container-'))
const ports = new Map<number, number>()
let images: Map<string, Image>
let containers: Containers

beforeAll(async () => {
  for (const port of [8787, 9464, 9465]) ports.set(port, await freePort())
  const built = buildImages(readDeploy('Dockerfile'), folder)
  images = built.images
  const services = readServices(readDeploy('one-container.yaml'))
  containers = new Containers({ services, images, folder, bin: built.bin, ports, skipped: [] })
}, 300_000)
afterAll(() => {
  containers?.close()
  rmSync(folder, { recursive: true, force: true })
})

test('one container is the whole gateway on the live network, and everything that it writes is in its volume', async () => {
  const image = images.get('all')
  const before = image && listImageFiles(image)
  await containers.startServices([])
  const token = readFileSync(join(folder, 'volumes', 'data', 'admin-token'), 'utf8').trim()
  const admin = createCaller(`http://127.0.0.1:${ports.get(8787)}`, { admintoken: token })
  const host = await until(async () => (await admin.get('/v1/hosts')).body.hosts[0])
  expect(host).toMatchObject({ sessions: 0 })
  expect((await fetch(`http://127.0.0.1:${ports.get(8787)}/console`)).status).toBe(200)
  // The network is the live one: nothing here simulates it.
  expect(image?.env).toMatchObject({ NETWORK: 'live', HOST: '0.0.0.0' })
  expect([image?.user, image?.stopSignal]).toEqual(['node', 'SIGTERM'])
  expect(await containers.stopService('all')).toBe(0)
  // Node stores what it has compiled when a process ends.
  expect(image && listImageFiles(image)).toEqual(before)
}, 300_000)
