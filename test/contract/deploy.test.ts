// What `npm run deploy` would put up: the modules that it uploads, with wrangler.toml's bindings, serve a whole story.
//
// Alone in its process: it loads wrangler, after which a process cannot catch its errors in another way.
// @vitest-environment-options { "process": "deploy" }

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { readFirstModules, readUploadedModules } from '@msgnet/cli/build/uploaded-worker.ts'
import { chapters, routes } from '@msgnet/shared/api/api.ts'
import { Miniflare } from 'miniflare'
import { beforeAll, expect, test } from 'vitest'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { createPlainCaller } from '../caller.ts'
import { createDevice, createPhone, type LinkedDevice, linkDevice, subscribeReceiver } from '../device.ts'
import { startReceiver } from '../receiver.ts'
import { fewLines, startWorld } from '../world.ts'

const uploaded = join(projectRoot, '.build', 'cloudflare')
/** What the platform loads for each isolate, measured compressed. */
const MAX_FIRST_BYTES = 250_000
let output = ''

beforeAll(async () => {
  mkdirSync(uploaded, { recursive: true })
  const folder = mkdtempSync(`${uploaded}-`)
  // Without network and account: the upload is built all the same.
  const nowhere = 'http://127.0.0.1:9'
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    CI: 'true',
    WRANGLER_SEND_METRICS: 'false',
    HTTPS_PROXY: nowhere,
    HTTP_PROXY: nowhere,
  }
  const args = ['run', 'deploy', '--', '--dry-run', '--outdir', folder]
  const { stdout, stderr } = await promisify(execFile)('npm', args, { cwd: projectRoot, env })
  output = stdout + stderr
  // Put in place whole, the entry last: other worlds may be starting on it.
  const built = readdirSync(folder).filter((name) => name.endsWith('.js'))
  for (const name of [...built.filter((one) => one !== 'worker.js'), 'worker.js'])
    renameSync(join(folder, name), join(uploaded, name))
  rmSync(folder, { recursive: true })
})

test('a dry run of the deployment needs no account and no network, and names every binding', () => {
  for (const binding of ['HOST_LINK (HostLink)', 'COURIER (Courier)', 'CLIENT_ADDRESS_HEADER'])
    expect(output).toContain(`env.${binding}`)
  expect(output).toContain('--dry-run: exiting now.')
})

test('the deployed worker answers, and is not ready without its database', async () => {
  const { workerOptions } = unstable_getMiniflareWorkerOptions(join(projectRoot, 'wrangler.toml'))
  const worker = new Miniflare({
    ...workerOptions,
    modules: readUploadedModules(),
  } as ConstructorParameters<typeof Miniflare>[0])
  try {
    const live = await worker.dispatchFetch('http://gateway/health/live')
    expect([live.status, await live.json()]).toEqual([200, { status: 'live' }])
    const ready = await worker.dispatchFetch('http://gateway/health/ready')
    expect([ready.status, await ready.json()]).toEqual([
      503,
      { status: 'not_ready', reason: 'database_unreachable' },
    ])
    expect(Object.keys(await worker.getBindings())).toEqual(expect.arrayContaining(['HOST_LINK', 'COURIER']))
  } finally {
    await worker.dispose()
  }
})

test('no text of a route or a chapter is in the worker: the documentation has them', () => {
  const code = readUploadedModules()
    .map(({ contents }) => contents)
    .join('')
  const texts = [
    ...chapters.map(({ description }) => description ?? ''),
    ...Object.values(routes).map(({ summary }) => summary),
  ]
  expect(texts.length).toBeGreaterThan(100)
  expect(texts.filter((text) => text.length > 30 && code.includes(text))).toEqual([])
})

test('what the platform loads before a first request is small, and the protocol of the tools is not in it', () => {
  const first = readFirstModules()
  const bytes = first.map(({ contents }) => gzipSync(contents).length).reduce((sum, one) => sum + one)
  expect(bytes).toBeLessThanOrEqual(MAX_FIRST_BYTES)
  const atOnce = new Set(first.map(({ path }) => path))
  const later = readUploadedModules().filter(({ path }) => !atOnce.has(path))
  expect(later.map(({ path }) => path)).toEqual([expect.stringMatching(/^tool-server-/)])
})

test('the console and the documentation are static assets, which the worker serves with its own headers, and tools answer', async () => {
  const world = await startWorld({ EDGE_ENGINE: 'miniflare', ...fewLines, MCP: 'read' })
  try {
    const request = (path: string) => fetch(`${world.run.baseUrl}${path}`)
    const console = await request('/console')
    expect([console.status, console.headers.get('content-security-policy')]).toEqual([
      200,
      expect.stringContaining("default-src 'none'"),
    ])
    const loaded = [...(await console.text()).matchAll(/"(\/console\/[^"]+)"/g)].map(([, path = '']) => path)
    expect(loaded.length).toBeGreaterThan(1)
    for (const path of [...loaded, '/docs', '/openapi.json']) expect((await request(path)).status).toBe(200)
    // The files as the platform has them are served by nothing but the worker.
    for (const path of ['/console.html', '/tools.json', '/console/none.js', '/console/..%2Ftools.json'])
      expect((await request(path)).status).toBe(404)
    const admintoken = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
    const pinged = await createPlainCaller(world.run.baseUrl, { admintoken }).post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { accept: 'application/json, text/event-stream' },
    )
    expect([pinged.status, pinged.text]).toEqual([200, expect.stringContaining('"result":{}')])
  } finally {
    await world.close()
  }
})

test('the deployed worker links a device, sends, and delivers, while its objects are evicted all the time', async () => {
  const receiver = await startReceiver()
  const world = await startWorld({
    EDGE_ENGINE: 'miniflare-evicting',
    ...fewLines,
    WEBHOOK_ALLOWLIST: receiver.place,
  })
  try {
    const fresh = await createDevice(world)
    await subscribeReceiver(fresh, receiver)
    const device: LinkedDevice = await linkDevice(world, fresh)
    const friend = await createPhone(world)
    for (let n = 0; n < 20; n++) {
      await world.sim('POST', '/messages', { from: friend, to: device.number, text: `in ${n}` })
      const sent = await device.caller.post('/send/text', { number: friend, text: `out ${n}` })
      expect(sent.status).toBe(200)
      await receiver.waitForDelivery(
        ({ message }) => (message as { text?: string } | undefined)?.text === `in ${n}`,
      )
    }
    const { messages } = await world.sim('GET', `/phones/${friend}/inbox`)
    expect((messages as { text: string }[]).map(({ text }) => text)).toEqual(
      Array.from({ length: 20 }, (_, n) => `out ${n}`),
    )
  } finally {
    await world.close()
    await receiver.close()
  }
})
