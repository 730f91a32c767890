// The typed client as others get it: packed, installed into an empty folder without a registry, and used wherever it should run.
// @module-tag slow

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Miniflare } from 'miniflare'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inBrowser, noBrowser, visitPage } from '../console/browser.ts'
import { SECRET } from '../device.ts'
import { startWorld, type World } from '../world.ts'

const NAME = 'msgnet-gateway-client'
const MAX_BYTES = 60_000
const root = join(import.meta.dirname, '..', '..')
const ADMIN = `mga_${'a'.repeat(43)}`

const folder = mkdtempSync(join(tmpdir(), 'client-'))
/** The folder of a user: nothing of this project is above it. */
const user = join(folder, 'user')
const pages = createServer((request, response) => {
  const script = request.url === '/client.js'
  response.setHeader('content-type', script ? 'text/javascript' : 'text/html')
  response.end(script ? readFileSync(join(installed, 'client.js')) : '<!doctype html><title>A page</title>')
})
const installed = join(user, 'node_modules', NAME)
let tarball = ''
let origin = ''
let world: World

const runNpm = (cwd: string, ...args: string[]) =>
  execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

beforeAll(async () => {
  const built = join(folder, 'built')
  runNpm(root, 'run', 'build:client', '--', '--to', built)
  const [packed] = JSON.parse(runNpm(built, 'pack', '--json', '--pack-destination', folder))
  tarball = join(folder, packed.filename)
  mkdirSync(user)
  runNpm(user, 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball)
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
  world = await startWorld({ ADMIN_TOKEN: ADMIN, CORS_ORIGINS: origin })
}, 120_000)

afterAll(async () => {
  await world?.close()
  pages.closeAllConnections()
  pages.close()
  rmSync(folder, { recursive: true, force: true })
})

/** What a program does with it, in each runtime: `client` is the module. */
const story = `async (client, baseUrl, adminToken, delivery) => {
  const admin = client.connectAdmin({ baseUrl, adminToken })
  const { instance } = await admin.instances.create({ name: 'Packed' })
  const device = admin.instance(instance.token)
  const status = await device.status()
  const refused = await device.sendText({ number: '5511999999999', text: 'x' }).catch((error) => error)
  const envelope = await client.verifyWebhook(delivery.body, delivery.headers, delivery.secret)
  await device.delete()
  return { status: status.instance.status, refused: refused.code, named: refused.requestId !== '', text: envelope.text }
}`
const outcome = { status: 'disconnected', refused: 'not_connected', named: true, text: 'signed' }

const createDelivery = () => {
  const body = JSON.stringify({ text: 'signed' })
  const at = new Date()
  const headers = {
    'webhook-id': 'event-1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(SECRET).sign('event-1', at, body),
  }
  return { body, headers, secret: SECRET }
}

test('the package is small, has no dependencies and has the version of the gateway', () => {
  expect(statSync(tarball).size).toBeLessThan(MAX_BYTES)
  expect(readdirSync(join(user, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([NAME])
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(manifest).toMatchObject({ name: NAME, version })
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies', 'scripts'])
    expect(manifest).not.toHaveProperty(kind)
  expect(readdirSync(installed).sort()).toEqual([
    'LICENSE',
    'README.md',
    'client.js',
    'package.json',
    'types',
  ])
})

test('plain JavaScript on Node uses it', () => {
  const file = join(user, 'program.mjs')
  const input = JSON.stringify([world.run.baseUrl, ADMIN, createDelivery()])
  writeFileSync(
    file,
    `import * as client from '${NAME}'\nconsole.log(JSON.stringify(await (${story})(client, ...${input})))\n`,
  )
  expect(JSON.parse(execFileSync(process.execPath, [file], { encoding: 'utf8' }))).toEqual(outcome)
})

test.skipIf(noBrowser)(`a page of an origin in CORS_ORIGINS can use it ${inBrowser}`, async () => {
  const { page, close } = await visitPage(origin, '/')
  try {
    const input = [world.run.baseUrl, ADMIN, createDelivery()]
    const seen = await page.evaluate(
      `import('/client.js').then((client) => (${story})(client, ...${JSON.stringify(input)}))`,
    )
    expect(seen).toEqual(outcome)
  } finally {
    await close()
  }
})

test('a worker uses it', async () => {
  const input = JSON.stringify([world.run.baseUrl, ADMIN, createDelivery()])
  const script = `import * as client from './client.js'
    export default { async fetch() { return Response.json(await (${story})(client, ...${input})) } }`
  const worker = new Miniflare({
    compatibilityDate: '2026-07-30',
    modules: [
      { type: 'ESModule', path: 'worker.js', contents: script },
      { type: 'ESModule', path: 'client.js', contents: readFileSync(join(installed, 'client.js'), 'utf8') },
    ],
  })
  try {
    const response = await worker.dispatchFetch('http://worker/')
    expect([response.status, JSON.parse(await response.text())]).toEqual([200, outcome])
  } finally {
    await worker.dispose()
  }
})

const typed = `import { type Connection, connectAdmin, type Envelope, GatewayError, verifyWebhook } from '${NAME}'
const admin = connectAdmin({ baseUrl: '', adminToken: 'mga_wrong' })
const seen: Promise<Connection> = admin.instances.status('7')
const shop = admin.instance('')
// @ts-expect-error a text is part of the message
void shop.sendText({ number: '1' })
// @ts-expect-error and is one
void shop.sendText({ number: '1', text: 1 })
void shop.sendText({ number: '1', text: 'x', mentions: ['all'], delay: 5 }).then(({ messageid, status }) => {
  const named: string = messageid
  const of: '' | 'Scheduled' | 'Pending' | 'Sent' | 'Delivered' | 'Read' | 'Failed' | 'Deleted' = status
  // @ts-expect-error it has no such field
  return [named, of, status.colour]
})
void verifyWebhook('', {}, '').then((event) => {
  if (event.EventType !== 'messages') return event.seq
  const { text }: { text: string } = event.message
  return text
})
const envelope = {} as Envelope
seen.catch((error) => error instanceof GatewayError && [error.code, envelope.eventId])
`

const compiler = join(
  dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
  'bin',
  'tsc',
)

/** In a strict project that has nothing else. */
function compile(file: string, ...args: string[]): string {
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext']
  const library = ['--target', 'es2022', '--lib', 'es2024,dom', '--types', '']
  try {
    execFileSync(process.execPath, [compiler, '--ignoreConfig', ...strict, ...library, ...args, file], {
      cwd: user,
      encoding: 'utf8',
    })
    return ''
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

test('its declarations hold in a strict project that has nothing else', () => {
  writeFileSync(join(user, 'program.mts'), typed)
  expect(compile('program.mts', '--noEmit')).toBe('')
})

const inferred = `import { connectAdmin, verifyWebhook } from '${NAME}'
const admin = connectAdmin({ baseUrl: '', adminToken: '' })
const shop = admin.instance('')
export const sendText = shop.sendText
export const findMessages = shop.findMessages
export const save = shop.webhook.save
export const create = admin.instances.create
export const sent = shop.sendText({ number: '1', text: 'x' })
export const verified = verifyWebhook('', {}, '')
`

test('editors show the names of types, and not what they expand to', () => {
  writeFileSync(join(user, 'inferred.mts'), inferred)
  expect(compile('inferred.mts', '--declaration', '--emitDeclarationOnly')).toBe('')
  const shown = readFileSync(join(user, 'inferred.d.mts'), 'utf8').replaceAll(/import\("[^"]+"\)\./g, '')
  expect(shown.match(/(?<=export declare const ).*(?=;)/g)).toEqual([
    'sendText: (request: SendTextRequest, options?: Repeatable) => Promise<MessageRecord>',
    'findMessages: (request?: FindMessagesRequest, options?: Options) => Promise<MessagePage>',
    'save: (webhook: WebhookSave, options?: Options) => Promise<Webhook>',
    'create: (request: CreateInstanceRequest, options?: Repeatable) => Promise<InitResult>',
    'sent: Promise<MessageRecord>',
    'verified: Promise<Envelope>',
  ])
})

test('its errors have their own names in the package', () => {
  const program = `import * as client from '${NAME}'
    const { GatewayError, GatewayUnreachable, WebhookRefused } = client
    console.log([GatewayError, GatewayUnreachable, WebhookRefused].map(({ name }) => name).join())`
  writeFileSync(join(user, 'names.mjs'), program)
  const shown = execFileSync(process.execPath, [join(user, 'names.mjs')], { encoding: 'utf8' })
  expect(shown.trim()).toBe('GatewayError,GatewayUnreachable,WebhookRefused')
})
