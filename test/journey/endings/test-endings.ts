// Every way in which what is asked of the network can end, for a table of what can be asked. Only what it has confirmed is a 200.

import { describe, expect, test } from 'vitest'
import type { ApiResponse } from '../../caller.ts'
import { createDevice, type LinkedDevice, linkDevice, waitUntilConnected } from '../../device.ts'
import { until } from '../../until.ts'
import type { World } from '../../world.ts'
import { breakStore } from './broken-store.ts'
import { type Logged, type Prepared, type Row, toPersonJid } from './row.ts'

const BACK_WITHIN_MS = 40_000

/** Awaited at the top of a test file. */
export async function testEndings(world: World, rows: Row[]): Promise<void> {
  const named = rows.map((row) => [row.name, row] as const)

  // Before the first test, a few at a time: what is asked must not wait for twenty devices that are being linked.
  const devices = new Map<Row, LinkedDevice>()
  const unlinked = [...rows]
  const linkNext = async () => {
    for (let row = unlinked.pop(); row; row = unlinked.pop())
      devices.set(row, await linkDevice(world, await createDevice(world, row.name, row.kind)))
  }
  await Promise.all([linkNext(), linkNext(), linkNext(), linkNext()])

  /** A device for the row, and what is to be asked of it. */
  async function prepareRow(row: Row) {
    const device = devices.get(row)
    if (!device) throw new Error(`${row.name} has no device`)
    // A store that failed before may have cost it its connection, several times: then it waits up to half a minute for the next.
    await waitUntilConnected(device, BACK_WITHIN_MS)
    const prepared = await row.prepare({ world, device })
    const { number } = device
    /** How often the network has been asked for it. */
    const countRequests = async () => {
      const { entries } = await world.sim('GET', `/log?number=${number}`)
      return (entries as Logged[]).filter((entry) => isAbout(entry, row) && isMeant(entry, prepared)).length
    }
    return {
      device,
      prepared,
      countRequests,
      ask: (headers?: Record<string, string>) => sendRequest(device, prepared, headers),
      /** The next question of this kind, and no other, meets it; where the library may be quicker, the next two. */
      fault: (kind: string, wish = {}) =>
        world.sim('POST', '/faults', {
          kind,
          number,
          ...row.question,
          count: row.isEarlierRequest ? 2 : 1,
          ...wish,
        }),
      drop: () => world.sim('POST', '/faults', { kind: 'close', number }),
    }
  }

  describe('the network does it', () => {
    test.concurrent.each(named)('%s is 200, and the network has it', async (_, row) => {
      const { prepared, ask: request } = await prepareRow(row)
      const response = await request()
      expect(response.status, response.text).toBe(200)
      await until(() => prepared.hasEffect(response.body))
    })
  })

  describe('the network refuses', () => {
    const refusable = rows.flatMap((row) => {
      const { code, status, error } = row.refusal ?? {}
      return status ? [[row.name, status, error, code, row] as const] : []
    })
    test.concurrent.each(refusable)(
      '%s is %s %s when the network refuses with %s, and changes nothing',
      async (_, status, error, code, row) => {
        const { prepared, ask: request, fault, countRequests } = await prepareRow(row)
        await fault('refuse', { code })
        const before = await countRequests()
        const response = await request()
        expect([response.status, response.body.error]).toEqual([status, error])
        expect(response.body.provider_code).toBe(code)
        expect(response.headers.get('retry-after')).toBe(status === 429 ? '30' : null)
        expect(await countRequests()).toBe(before + 1)
        if (row.keyed) expect(await prepared.hasEffect(undefined)).toBe(false)
      },
    )
  })

  describe('the network does not respond', () => {
    test.concurrent.each(named)(
      '%s is 504 outcome_unknown, and its key sends no second request',
      async (_, row) => {
        const { prepared, ask: request, fault, countRequests } = await prepareRow(row)
        await fault('silent')
        const key = row.keyed ? createKey() : {}
        const unknown = await request(key)
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
  })

  describe('the connection drops', () => {
    test.concurrent.each(named)('%s is 504 outcome_unknown, and the session reconnects', async (_, row) => {
      const { device, ask: request, fault, countRequests, drop } = await prepareRow(row)
      const before = await countRequests()
      await fault('silent')
      const response = request()
      await waitUntilReached(response, async () => (await countRequests()) > before)
      await drop()
      expectUnknown(await response, row)
      await waitUntilConnected(device)
    })
  })

  describe('the store fails once the network has it', () => {
    test.each(named)(
      '%s is never reported as refused, and its key sends no second request',
      async (_, row) => {
        const { prepared, ask: request, fault, countRequests } = await prepareRow(row)
        await fault('slow', { ms: 700 })
        const key = row.keyed ? createKey() : {}
        const before = await countRequests()
        const pending = request(key)
        await waitUntilReached(pending, async () => (await countRequests()) > before)
        const mend = breakStore(world.dataDir)
        const response = await pending.finally(mend)
        // What only looks had no effect, and may say that the answer could not be kept.
        expect([200, row.looks ? 502 : 504], response.text).toContain(response.status)
        if (!row.looks) await until(() => isThere(prepared, response))
        if (!row.keyed) return
        const again = await request(key)
        expect([200, 504], again.text).toContain(again.status)
        expect(again.headers.get('idempotency-replayed')).toBe('true')
        expect(await countRequests()).toBe(before + 1)
      },
    )
  })

  test('the simulated network knew every request', async () => {
    expect((await world.sim('GET', '/unknown')).requests).toEqual([])
  })
}

let keys = 0
/** One that a second try of a test has not used. */
const createKey = () => ({ 'idempotency-key': `ending-${++keys}` })

/** What is asked for has come to the network; if it never does, the error tells what the caller heard in its place. */
async function waitUntilReached(
  pending: Promise<ApiResponse>,
  hasReached: () => Promise<boolean>,
): Promise<void> {
  let result = 'nothing yet'
  const finished = pending.then(({ status, text }) => {
    result = `${status} ${text}`
  })
  finished.catch(() => undefined)
  await until(hasReached).catch((error: Error) => {
    throw new Error(`${error.message}; the caller was told ${result}`)
  })
}

function isAbout(entry: Logged, { isEarlierRequest, question: { tag, ...expected } }: Row): boolean {
  if (isEarlierRequest) return isEarlierRequest(entry)
  const { what, xmlns, tags = [] } = entry
  if (expected.xmlns === undefined) return what === tag
  return xmlns === expected.xmlns && (tag === undefined || tags.includes(tag))
}

/** A message to somebody else, such as what a device tells its own phone, is not what was asked for. */
const isMeant = ({ what, to }: Logged, { reader }: Prepared): boolean =>
  what !== 'message' || reader === undefined || !isPerson(to) || to === toPersonJid(reader)

const isPerson = (to?: string) => to?.endsWith('@s.msgnet.net')

const sendRequest = ({ caller }: LinkedDevice, { method = 'POST', path, body }: Prepared, headers = {}) =>
  caller.performRequest(method, path, body, headers)

function expectUnknown(response: ApiResponse, { traced }: Row) {
  expect([response.status, response.body.error]).toEqual([504, 'outcome_unknown'])
  if (traced) expect(response.body.messageid).toMatch(/^[0-9A-F]{22}$/)
}

async function isThere(prepared: Prepared, response: ApiResponse): Promise<boolean> {
  if (await prepared.hasEffect(response.body)) return true
  throw new Error(`the network does not have it; the caller was told ${response.status} ${response.text}`)
}

/** A message that did arrive comes to light by the addressee's receipt. */
async function waitForKnown(
  request: (key: Record<string, string>) => Promise<ApiResponse>,
  key: Record<string, string>,
) {
  const response = await request(key)
  return response.status === 200 && response
}
