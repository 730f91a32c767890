// Any request gets a response that the contract knows, and leaves the gateway as healthy as before.
// FUZZ_REQUESTS says how many are made up (`npm run test:fuzz`: 50,000); FUZZ_SEED repeats a run.
// @module-tag slow

import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectDocumented } from '../contract/documented.ts'
import { createDevice, linkDevice } from '../device.ts'
import { startWorld, type World } from '../world.ts'
import { type Document, generateRequests, type Request } from './requests.ts'

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 2000)
const AT_ONCE = 20
/** The 5xx that the contract names. `internal` is not among what may be seen. */
const EXPECTED_5XX = ['calls_not_supported', 'msgnet_unreachable', 'outcome_unknown', 'media_unavailable']
const GROWTH_KIB = 96 * 1024

/** They come by the thousand from a few tokens; what is refused for that would try nothing. */
const noRates = { REQUEST_RATE: '0', STREAM_RATE: '0', WEBHOOK_CHANGE_RATE: '0' }

let world: World
let document: Document
let credentials: Record<string, string>[]

beforeAll(async () => {
  world = await startWorld({ ...noRates, ACTION_TIMEOUT_MS: '4000' })
  document = (await world.admin.get('/openapi.json')).body
  const unlinked = await createDevice(world)
  const linked = await linkDevice(world, await createDevice(world))
  const admin = { admintoken: readFileSync(`${world.dataDir}/admin-token`, 'utf8').trim() }
  credentials = [
    admin,
    admin,
    { token: unlinked.token },
    { token: linked.token },
    { ...admin, token: linked.token },
    {},
    { token: 'mgi_none' },
  ]
})

afterAll(() => world.close())

const readResidentKiB = (part: string): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${world.run.parts[part]}/status`, 'utf8'))?.[1])

async function checkRequest(request: Request): Promise<void> {
  const { method, path, headers, body } = request
  const sent = { method, headers, redirect: 'manual' as const, ...(body !== undefined && { body }) }
  // As the client sends it: with dots and doubled slashes taken out.
  const url = new URL(world.run.baseUrl + path)
  const response = await fetch(url, sent)
  // A stream ends only when its client leaves; it has tests of its own.
  if (response.headers.get('content-type') === 'text/event-stream') return response.body?.cancel()
  const checked = { status: response.status, headers: response.headers, text: await response.text() }
  const description = `${method} ${path} answered ${checked.status} ${checked.text.slice(0, 300)}`
  expect(checked.headers.get('x-request-id'), description).toMatch(/^[\x21-\x7e]{1,128}$/)
  if (checked.status === 405) expect(checked.headers.get('allow'), description).toBeTruthy()
  if (checked.status >= 500) expect(EXPECTED_5XX, description).toContain(JSON.parse(checked.text).error)
  expectDocumented({ method, path: url.pathname, ...checked })
}

test(`${REQUESTS} made-up requests get answers of the contract, and leave the gateway healthy`, {
  timeout: 1_800_000,
}, async () => {
  const parts = ['edge', 'session host']
  let resident: number[] = []
  let count = 0
  const seed = process.env.FUZZ_SEED ? Number(process.env.FUZZ_SEED) : undefined
  const requests = fc.array(generateRequests(document, credentials), {
    minLength: AT_ONCE,
    maxLength: AT_ONCE,
  })
  await fc.assert(
    fc.asyncProperty(requests, async (together) => {
      await Promise.all(together.map(checkRequest))
      count += together.length
      // A third of the way everything has been loaded, compiled and pooled once.
      if (resident.length === 0 && count > REQUESTS / 3) resident = parts.map(readResidentKiB)
    }),
    {
      numRuns: Math.ceil(REQUESTS / AT_ONCE),
      ...(seed !== undefined && { seed }),
      endOnFailure: REQUESTS > 5000,
    },
  )
  const grown = parts.map((part, index) => `${part} ${readResidentKiB(part) - (resident[index] ?? 0)} KiB`)
  console.log(`${count} requests; grown since a third of them: ${grown.join(', ')}`)
  for (const [index, part] of parts.entries())
    expect(readResidentKiB(part) - (resident[index] ?? 0), part).toBeLessThan(GROWTH_KIB)
  expect((await world.admin.get('/health/ready')).body).toEqual({ status: 'ready' })
  expect(world.readOutput()).not.toContain('starting it again')
})
