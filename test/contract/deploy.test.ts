// What `npm run deploy` would put up: the script that it uploads, with wrangler.toml's bindings, serves a whole story.
//
// Alone in its process: it loads wrangler, after which a process cannot catch its errors in another way.
// @vitest-environment-options { "process": "deploy" }

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { chapters, routes } from '@msgnet/shared/api/api.ts'
import { Miniflare } from 'miniflare'
import { beforeAll, expect, test } from 'vitest'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { createDevice, createPhone, type LinkedDevice, linkDevice, subscribeReceiver } from '../device.ts'
import { startReceiver } from '../receiver.ts'
import { fewLines, startWorld } from '../world.ts'

const uploaded = join(projectRoot, '.build', 'cloudflare', 'worker.js')
/** The platform loads it for each isolate. */
const MAX_SCRIPT_BYTES = 280 * 1024
let output = ''

beforeAll(async () => {
  mkdirSync(dirname(uploaded), { recursive: true })
  const folder = mkdtempSync(`${dirname(uploaded)}-`)
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
  // Put in place whole: other worlds may be starting on it.
  renameSync(join(folder, 'worker.js'), uploaded)
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
    modules: [{ type: 'ESModule', path: 'worker.js', contents: readFileSync(uploaded, 'utf8') }],
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

test('no text of a route or a chapter is in the script: the documentation has them', () => {
  const script = readFileSync(uploaded, 'utf8')
  const texts = [
    ...chapters.map(({ description }) => description ?? ''),
    ...Object.values(routes).map(({ summary }) => summary),
  ]
  expect(texts.length).toBeGreaterThan(100)
  expect(texts.filter((text) => text.length > 30 && script.includes(text))).toEqual([])
})

test('the console and the documentation are static assets, which the worker serves with its own headers', async () => {
  expect(gzipSync(readFileSync(uploaded)).length).toBeLessThanOrEqual(MAX_SCRIPT_BYTES)
  const world = await startWorld({ EDGE_ENGINE: 'miniflare', ...fewLines })
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
