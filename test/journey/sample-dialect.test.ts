// The dialect that the page on adding one shows, run by a gateway whose sources have it as the page says.
// @module-tag slow

import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createPlainCaller } from '../caller.ts'
import { createDevice, createPhone, linkDevice } from '../device.ts'
import { linkPackages } from '../link-packages.ts'
import { listenAtReserved } from '../reserved-ports.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'
import { startWorld } from '../world.ts'

const project = join(import.meta.dirname, '..', '..')
const page = readFileSync(join(project, 'docs/code/adding-a-dialect.md'), 'utf8')
const [sample = '', names = '', choice = ''] = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, text]) => text)
const [importLine = '', entry = ''] = choice.split('\n')

const root = mkdtempSync(join(tmpdir(), 'dialect-'))
const copied =
  'edge console docs openapi clients session-host bridges shared cli simulator migrations package.json README.md wrangler.toml tsconfig.base.json'
for (const name of copied.split(' ')) cpSync(join(project, name), join(root, name), { recursive: true })
linkPackages(root)
mkdirSync(join(root, 'edge/plain'))
writeFileSync(join(root, 'edge/plain/plain-dialect.ts'), sample)
changeFile('shared/contract/webhook-formats.ts', /^export const dialectNames = .*\n/m, names)
changeFile('edge/choose-dialect.ts', /^import type \{ Env \}/m, `${importLine}\n$&`)
changeFile('edge/choose-dialect.ts', /^ {2}cloud: .*\n/m, `$&${entry}\n`)

function changeFile(path: string, pattern: RegExp, replacement: string): void {
  const before = readFileSync(join(root, path), 'utf8')
  const after = before.replace(pattern, replacement)
  expect(after).not.toBe(before)
  writeFileSync(join(root, path), after)
}

const posted: { path: string | undefined; body: Seen }[] = []
const receiver = createServer((request, response) => {
  const pieces: Buffer[] = []
  request.on('data', (piece) => pieces.push(piece))
  request.on('end', () => {
    posted.push({ path: request.url, body: JSON.parse(Buffer.concat(pieces).toString()) })
    response.end()
  })
})
const place = await listenAtReserved(receiver)
const env = { DIALECTS: 'plain', WEBHOOK_ALLOWLIST: place }
const world = await startWorld(env, undefined, { root, args: [] })
const device = await linkDevice(world, await createDevice(world))
const friend = await createPhone(world, 'Ana')
const plain = createPlainCaller(`${world.run.baseUrl}/plain`, { key: device.token })
afterAll(async () => {
  await world.close()
  rmSync(root, { recursive: true, force: true })
  receiver.closeAllConnections()
  await new Promise((resolve) => receiver.close(resolve))
})

test('the sample has at most fifty lines beside its imports, and no error of types', () => {
  const code = sample.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('import'))
  expect(code.length).toBeLessThanOrEqual(50)
  const compiler = join(project, 'node_modules/typescript/bin/tsc')
  const { stdout, status } = spawnSync(process.execPath, [compiler, '-p', join(root, 'edge/tsconfig.json')])
  expect([String(stdout), status]).toEqual(['', 0])
}, 300_000)

test('the sample sends a text, and receives one', async () => {
  const url = `http://${place}/got`
  expect(await plain.request('PUT', '/receiver', { url })).toMatchObject({ status: 200, body: { url } })
  const sent = await plain.post('/texts', { to: friend, text: 'oi' })
  expect(sent).toMatchObject({ status: 201, body: { id: expect.stringMatching(/^\w+$/) } })
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'olá' })
  const got = await until(() => posted.at(0))
  expect(got).toEqual({ path: '/got', body: { got: { from: `${friend}@s.msgnet.net`, text: 'olá' } } })
  const tested = await device.caller.post('/webhook/test')
  expect(tested.body).toMatchObject({ delivered: true })
})

test('the sample refuses in its own words, and has a document of its routes', async () => {
  const missing = await plain.post('/texts', { to: friend })
  expect([missing.status, missing.body]).toEqual([400, { why: 'invalid_body', about: 'text' }])
  const stranger = createPlainCaller(`${world.run.baseUrl}/plain`, { token: device.token })
  const refused = await stranger.post('/texts', { to: friend, text: 'never' })
  expect([refused.status, refused.body.why]).toEqual([401, 'unauthorized'])
  const { paths } = (await plain.get('/openapi.json')).body
  expect(Object.keys(paths)).toEqual(['/texts', '/receiver'])
})

test('a webhook of another program gets the form of the sample by its name', async () => {
  const url = `http://${place}/second`
  // The document of the contract, by which a checked caller judges, is that of these sources.
  const caller = createPlainCaller(world.run.baseUrl, { token: device.token })
  const added = await caller.post('/v1/webhooks', { url, events: ['messages'], format: 'plain' })
  expect(added.body.webhook).toMatchObject({ format: 'plain' })
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'duas' })
  const got = await until(() => posted.find(({ path }) => path === '/second'))
  expect(got.body).toEqual({ got: { from: `${friend}@s.msgnet.net`, text: 'duas' } })
})
