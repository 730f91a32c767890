// Every possible outcome of a request to the network, for a table of requests. Only what the network confirmed is a 200, and only an effect
// that has left is unknown.

import { describe, expect, test } from 'vitest'
import type { ApiResponse } from '../../caller.ts'
import { createDevice, type LinkedDevice, linkDevice, waitUntilConnected } from '../../device.ts'
import { until } from '../../until.ts'
import type { SharedWorld } from '../../world.ts'
import { breakStore } from './broken-store.ts'
import { type Logged, type Prepared, type Row, toPersonJid } from './row.ts'

const BACK_WITHIN_MS = 40_000

type Named = (readonly [name: string, row: Row])[]
type PrepareRow = (row: Row) => ReturnType<typeof prepareOn>

/** Awaited at the top of a test file. */
export async function testEndings(world: SharedWorld, rows: Row[]): Promise<void> {
  const named = rows.map((row) => [row.name, row] as const)
  const devices = await linkDevices(world, rows)
  const prepareRow: PrepareRow = (row) => {
    const device = devices.get(row)
    if (!device) throw new Error(`${row.name} has no device`)
    return prepareOn(world, device, row)
  }
  describe('the network does it', () => testSuccess(named, prepareRow))
  describe('the network refuses', () => testRefusals(rows, prepareRow))
  describe('the network does not respond', () => testMissingResponses(world, named, prepareRow))
  describe('the connection drops', () => testDrops(named, prepareRow))
  describe('the store fails once the network has it', () => testStoreFailures(world, named, prepareRow))
  test('the simulated network knew every request', async () => {
    expect((await world.sim('GET', '/unknown')).requests).toEqual([])
  })
}

/** Links a device for each row before the first test, four at a time: a request must not wait for the links of the others. */
async function linkDevices(world: SharedWorld, rows: Row[]): Promise<Map<Row, LinkedDevice>> {
  const devices = new Map<Row, LinkedDevice>()
  const unlinked = [...rows]
  const linkNext = async () => {
    for (let row = unlinked.pop(); row; row = unlinked.pop())
      devices.set(row, await linkDevice(world, await createDevice(world, row.name, row.kind)))
  }
  await Promise.all([linkNext(), linkNext(), linkNext(), linkNext()])
  return devices
}

/** The request of a row on its device, and the faults of the network for it. */
async function prepareOn(world: SharedWorld, device: LinkedDevice, row: Row) {
  // A failed store may have cost its connection, several times: then it waits up to half a minute for the next.
  await waitUntilConnected(device, BACK_WITHIN_MS)
  const prepared = await row.prepare({ world, device })
  const { number } = device
  /** Counts the requests of this kind that the network received. */
  const countRequests = async () => {
    const { entries } = await world.sim('GET', `/log?number=${number}`)
    return (entries as Logged[]).filter((entry) => isAbout(entry, row) && isMeant(entry, prepared)).length
  }
  const request = (headers?: Record<string, string>) => sendRequest(device, prepared, headers)
  /** Affects the next request of this kind and no other; where the library may be quicker, the next two. */
  const causeFault = (kind: string, wish = {}) => {
    const count = row.isEarlierRequest ? 2 : 1
    return world.sim('POST', '/faults', { kind, number, ...row.question, count, ...wish })
  }
  const dropConnection = () => world.sim('POST', '/faults', { kind: 'close', number })
  return { device, prepared, countRequests, request, causeFault, dropConnection }
}

function testSuccess(named: Named, prepareRow: PrepareRow): void {
  test.concurrent.each(named)('%s is 200, and the network has it', async (_, row) => {
    const { prepared, request } = await prepareRow(row)
    const response = await request()
    expect(response.status, response.text).toBe(200)
    await until(() => prepared.hasEffect(response.body))
  })
}

function testRefusals(rows: Row[], prepareRow: PrepareRow): void {
  const refusable = rows.flatMap((row) => {
    const { code, status, error } = row.refusal ?? {}
    return status ? [[row.name, status, error, code, row] as const] : []
  })
  test.concurrent.each(refusable)(
    '%s is %s %s when the network refuses with %s, and changes nothing',
    async (_, status, error, code, row) => {
      const { prepared, request, causeFault, countRequests } = await prepareRow(row)
      await causeFault('refuse', { code })
      const before = await countRequests()
      const response = await request()
      expect([response.status, response.body.error]).toEqual([status, error])
      expect(response.body.provider_code).toBe(code)
      expect(response.headers.get('retry-after')).toBe(status === 429 ? '30' : null)
      expect(await countRequests()).toBe(before + 1)
      if (row.keyed) expect(await prepared.hasEffect(undefined)).toBe(false)
    },
  )
}

function testMissingResponses(world: SharedWorld, named: Named, prepareRow: PrepareRow): void {
  test.concurrent.each(named)(
    '%s is 504 outcome_unknown, and its key sends no second request; a question is 502',
    async (_, row) => {
      const { prepared, request, causeFault, countRequests } = await prepareRow(row)
      await causeFault('silent')
      const key = row.keyed ? createKey() : {}
      const unknown = await request(key)
      if (row.looks) return expect([unknown.status, unknown.body.error]).toEqual([502, 'msgnet_unreachable'])
      expectUnknown(unknown, row)
      if (!row.keyed) return
      const before = await countRequests()
      if (row.traced) {
        const receipt = { by: prepared.reader, type: 'delivered' }
        await world.sim('POST', `/messages/${unknown.body.messageid}/receipt`, receipt)
      }
      const again = row.traced ? await until(() => waitForKnown(request, key)) : await request(key)
      expect(again.status).toBe(row.traced ? 200 : 504)
      expect(again.headers.get('idempotency-replayed')).toBe('true')
      expect(await countRequests()).toBe(before)
    },
  )
}

function testDrops(named: Named, prepareRow: PrepareRow): void {
  const title = '%s is 504 outcome_unknown, and the session reconnects; a question is asked again'
  test.concurrent.each(named)(title, async (_, row) => {
    const { device, request, causeFault, countRequests, dropConnection } = await prepareRow(row)
    const before = await countRequests()
    await causeFault('silent')
    const response = request()
    await waitUntilReached(response, async () => (await countRequests()) > before)
    await dropConnection()
    if (row.looks) expect((await response).status).toBe(200)
    else expectUnknown(await response, row)
    await waitUntilConnected(device)
  })
}

function testStoreFailures(world: SharedWorld, named: Named, prepareRow: PrepareRow): void {
  test.each(named)('%s is never reported as refused, and its key sends no second request', async (_, row) => {
    const { prepared, request, causeFault, countRequests } = await prepareRow(row)
    await causeFault('slow', { ms: 700 })
    const key = row.keyed ? createKey() : {}
    const before = await countRequests()
    const pending = request(key)
    await waitUntilReached(pending, async () => (await countRequests()) > before)
    const repairStore = breakStore(world.dataDir)
    const response = await pending.finally(repairStore)
    // A read has no effect, and may report that the response could not be stored.
    expect([200, row.looks ? 502 : 504], response.text).toContain(response.status)
    if (!row.looks) await until(() => isThere(prepared, response))
    if (!row.keyed) return
    const again = await request(key)
    expect([200, 504], again.text).toContain(again.status)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(await countRequests()).toBe(before + 1)
  })
}

let keys = 0
/** One that no other try of a test has used. */
const createKey = () => ({ 'idempotency-key': `ending-${++keys}` })

/** Resolves when the request reached the network; if it never does, the error contains the response of the caller. */
async function waitUntilReached(
  pending: Promise<ApiResponse>,
  hasReached: () => Promise<boolean>,
): Promise<void> {
  let result = 'no response yet'
  const finished = pending.then(({ status, text }) => {
    result = `${status} ${text}`
  })
  finished.catch(() => undefined)
  await until(hasReached).catch((error: Error) => {
    throw new Error(`${error.message}; the caller got ${result}`)
  })
}

function isAbout(entry: Logged, { isEarlierRequest, question: { tag, ...expected } }: Row): boolean {
  if (isEarlierRequest) return isEarlierRequest(entry)
  const { what, xmlns, tags = [] } = entry
  if (expected.xmlns === undefined) return what === tag
  return xmlns === expected.xmlns && (tag === undefined || tags.includes(tag))
}

/** A message to another recipient, such as one of a device to its own phone, is not the requested one. */
const isMeant = ({ what, to }: Logged, { reader }: Prepared): boolean =>
  what !== 'message' || reader === undefined || !isPerson(to) || to === toPersonJid(reader)

const isPerson = (to?: string) => to?.endsWith('@s.msgnet.net')

const sendRequest = ({ caller }: LinkedDevice, { method = 'POST', path, body }: Prepared, headers = {}) =>
  caller.request(method, path, body, headers)

function expectUnknown(response: ApiResponse, { traced }: Row) {
  expect([response.status, response.body.error]).toEqual([504, 'outcome_unknown'])
  if (traced) expect(response.body.messageid).toMatch(/^[0-9A-F]{22}$/)
}

async function isThere(prepared: Prepared, response: ApiResponse): Promise<boolean> {
  if (await prepared.hasEffect(response.body)) return true
  throw new Error(`the network does not have it; the caller got ${response.status} ${response.text}`)
}

/** The receipt of the recipient proves that a message did arrive. */
async function waitForKnown(
  request: (key: Record<string, string>) => Promise<ApiResponse>,
  key: Record<string, string>,
) {
  const response = await request(key)
  return response.status === 200 && response
}
