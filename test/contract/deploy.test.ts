// What `wrangler deploy` would put up: the worker that wrangler.toml describes starts, with every binding that the edge asks for.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Miniflare } from 'miniflare'
import { beforeAll, expect, test } from 'vitest'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { bundleEdge, projectRoot } from '../../local/bundle.ts'

let script = ''

beforeAll(async () => {
  script = readFileSync(await bundleEdge(), 'utf8')
})

test('the deployed worker answers, and is not ready without its database', async () => {
  const { workerOptions } = unstable_getMiniflareWorkerOptions(join(projectRoot, 'wrangler.toml'))
  const worker = new Miniflare({
    ...workerOptions,
    modules: [{ type: 'ESModule', path: 'edge.js', contents: script }],
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
