// What is in each image, and under which licences: by its list in deploy/, by NOTICE, and by the folders that the Dockerfile fills.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildImages, type Image } from './images.ts'
import { listInstalled } from './lock-file.ts'

const readText = (path: string) => readFileSync(join(projectRoot, path), 'utf8')
const lists: Record<string, string[]> = JSON.parse(readText('deploy/image-packages.json'))
const notice = readText('NOTICE')
/** Under these, a licence in the package's folder is all that is asked for. */
const permissive = /^(MIT|ISC|0BSD|BSD-\d-Clause|Apache-2\.0|BlueOak-1\.0\.0|Unlicense|MIT OR Apache-2\.0)$/

const folder = mkdtempSync(join(tmpdir(), 'image-packages-'))
let images: Map<string, Image>
beforeAll(() => {
  images = buildImages(readText('deploy/Dockerfile'), folder).images
}, 200_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const listEntries = (path: string): string[] => (existsSync(path) ? readdirSync(path).sort() : [])

/** Of `@libsql/linux-x64-gnu` it is `@libsql/linux-*`: each processor has its own. */
const hidePlatform = (name: string) => name.replace(/\b(linux(?:musl)?)-(x64|arm64)(-gnu|-musl)?$/, '$1-*')

function listPackages(image: string): string[] {
  const { root = '', workdir = '' } = images.get(image) ?? {}
  const modules = join(root, workdir, 'node_modules')
  const names = listEntries(modules).flatMap((name) =>
    name.startsWith('@') ? listEntries(join(modules, name)).map((inner) => `${name}/${inner}`) : [name],
  )
  return [...new Set(names.map(hidePlatform))].sort()
}

test.each(['edge', 'host', 'all'])('the image %s holds the packages of its list', (image) => {
  expect(listPackages(image)).toEqual(lists[image])
})

test('each image holds its own part of this project, and nothing of the others', () => {
  const listParts = (image: string) => {
    const { root = '', workdir = '' } = images.get(image) ?? {}
    return listEntries(join(root, workdir)).filter((name) =>
      existsSync(join(projectRoot, name, 'package.json')),
    )
  }
  expect(listParts('edge')).toEqual(['cli', 'edge', 'shared'])
  expect(listParts('host')).toEqual(['cli', 'session-host', 'shared'])
  expect(listParts('all')).toEqual([
    'bridges',
    'cli',
    'console',
    'edge',
    'openapi',
    'session-host',
    'shared',
    'simulator',
  ])
})

test('the image of the edge has nothing of the network, and that of the host nothing that serves the API', () => {
  const network = [
    'baileys',
    'libsignal',
    'whatsapp-rust-bridge',
    'sharp',
    '@msgnet/session-host',
    '@msgnet/simulator',
  ]
  expect(lists.edge?.filter((name) => network.includes(name))).toEqual([])
  expect(lists.host).toEqual(expect.arrayContaining(['baileys', 'libsignal', 'whatsapp-rust-bridge']))
  const api = [
    'hono',
    '@hono/node-server',
    '@msgnet/edge',
    '@msgnet/console',
    '@msgnet/simulator',
    '@msgnet/bridges',
  ]
  expect(lists.host?.filter((name) => api.includes(name))).toEqual([])
})

interface Manifest {
  license?: string
  private?: boolean
}

/** Name and licence of each package whose licence asks for more than to be given along. */
function listDemanding(part: string): string[] {
  return listInstalled(part)
    .map((path) => ({ path, manifest: JSON.parse(readText(`${path}/package.json`)) as Manifest }))
    .filter(({ manifest }) => !permissive.test(manifest.license ?? '') && !manifest.private)
    .map(({ path }) => path.replace('node_modules/', ''))
}

test('NOTICE names every package of the host whose licence asks for more, and the edge has none', () => {
  expect(listDemanding('edge')).toEqual([])
  const demanding = listDemanding('session-host')
  expect(demanding).toContain('libsignal')
  const isNamed = (name: string) =>
    notice.includes(name) || notice.includes(`${name.split('/')[0]}/*`) || notice.includes(hidePlatform(name))
  expect(demanding.filter((name) => !isNamed(name))).toEqual([])
  // Its package says MIT, and its source another licence.
  expect(notice).toContain('whatsapp-rust-bridge')
})

test('README says the same of the images', () => {
  const [, licence = ''] = readText('README.md').split('## Licence')
  expect(licence).toContain('deploy/image-packages.json')
  for (const name of ['libsignal', 'whatsapp-rust-bridge']) expect(licence).toContain(name)
})

test('images, the packaged Node, CI and this test have one version of Node', () => {
  const { optionalDependencies } = JSON.parse(readText('package.json')) as Record<string, object>
  const named = [
    ...Object.values(optionalDependencies ?? {}),
    ...[...readText('deploy/Dockerfile').matchAll(/^FROM node:([\d.]+)/gm)].map(([, version]) => version),
    ...[...readText('.github/workflows/ci.yml').matchAll(/node-version: (\S+)/g)].map(
      ([, version]) => version,
    ),
    process.version.slice(1),
  ]
  expect(named.length).toBeGreaterThan(6)
  expect([...new Set(named)]).toHaveLength(1)
})
