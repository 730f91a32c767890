// Every way in which what is asked of the network can end, for a table of what can be asked. Only what it has confirmed is a 200.

import { describe, expect, test } from 'vitest'
import type { Answer } from '../../caller.ts'
import { connected, type LinkedDevice, link, makeDevice } from '../../device.ts'
import { until } from '../../until.ts'
import type { World } from '../../world.ts'
import { breakStore } from './broken-store.ts'
import { type Logged, type Prepared, person, type Row } from './row.ts'

const BACK_WITHIN_MS = 40_000

/** Awaited at the top of a test file. */
export async function testEndings(world: World, rows: Row[]): Promise<void> {
  const named = rows.map((row) => [row.name, row] as const)

  // Before the first test, a few at a time: what is asked must not wait for twenty devices that are being linked.
  const devices = new Map<Row, LinkedDevice>()
  const unlinked = [...rows]
  const linkNext = async () => {
    for (let row = unlinked.pop(); row; row = unlinked.pop())
      devices.set(row, await link(world, await makeDevice(world, row.name, row.kind)))
  }
  await Promise.all([linkNext(), linkNext(), linkNext(), linkNext()])

  /** A device for the row, and what is to be asked of it. */
  async function standing(row: Row) {
    const device = devices.get(row)
    if (!device) throw new Error(`${row.name} has no device`)
    // A store that failed before may have cost it its connection, several times: then it waits up to half a minute for the next.
    await connected(device, BACK_WITHIN_MS)
    const prepared = await row.prepare({ world, device })
    const { number } = device
    /** How often the network has been asked for it. */
    const asked = async () => {
      const { entries } = await world.sim('GET', `/log?number=${number}`)
      return (entries as Logged[]).filter((entry) => isAbout(entry, row) && isMeant(entry, prepared)).length
    }
    return {
      ...{ device, prepared, asked },
      ask: (headers?: Record<string, string>) => ask(device, prepared, headers),
      /** The next question of this kind, and no other, meets it; where the library may be quicker, the next two. */
      fault: (kind: string, wish = {}) =>
        world.sim('POST', '/faults', { kind, number, ...row.question, count: row.begins ? 2 : 1, ...wish }),
      drop: () => world.sim('POST', '/faults', { kind: 'close', number }),
    }
  }

  describe('the network does it', () => {
    test.concurrent.each(named)('%s is 200, and the network has it', async (_, row) => {
      const { prepared, ask } = await standing(row)
      const answer = await ask()
      expect(answer.status, answer.text).toBe(200)
      await until(() => prepared.there(answer.body))
    })
  })

  describe('the network refuses', () => {
    const refusable = rows.flatMap((row) => {
      const { code, status, error } = row.refusal ?? {}
      return status ? [[row.name, status, error, code, row] as const] : []
    })
    test.concurrent.each(refusable)(
      '%s is %s %s when the network says %s, and nothing has happened',
      async (_, status, error, code, row) => {
        const { prepared, ask, fault, asked } = await standing(row)
        await fault('refuse', { code })
        const before = await asked()
        const answer = await ask()
        expect([answer.status, answer.body.error]).toEqual([status, error])
        expect(answer.body.provider_code).toBe(code)
        expect(answer.headers.get('retry-after')).toBe(status === 429 ? '30' : null)
        expect(await asked()).toBe(before + 1)
        if (row.keyed) expect(await prepared.there(undefined)).toBe(false)
      },
    )
  })

  describe('the network says nothing', () => {
    test.concurrent.each(named)('%s is 504 outcome_unknown, and a key never asks again', async (_, row) => {
      const { prepared, ask, fault, asked } = await standing(row)
      await fault('silent')
      const key = row.keyed ? freshKey() : {}
      const unknown = await ask(key)
      expectUnknown(unknown, row)
      if (!row.keyed) return
      const before = await asked()
      if (row.traced) {
        const receipt = { by: prepared.reader, type: 'delivered' }
        await world.sim('POST', `/messages/${unknown.body.messageid}/receipt`, receipt)
      }
      const again = row.traced ? await until(() => known(ask, key)) : await ask(key)
      expect(again.status).toBe(row.traced ? 200 : 504)
      expect(again.headers.get('idempotency-replayed')).toBe('true')
      expect(await asked()).toBe(before)
    })
  })

  describe('the connection drops', () => {
    test.concurrent.each(named)('%s is 504 outcome_unknown, and the session comes back', async (_, row) => {
      const { device, ask, fault, asked, drop } = await standing(row)
      const before = await asked()
      await fault('silent')
      const answer = ask()
      await reached(answer, async () => (await asked()) > before)
      await drop()
      expectUnknown(await answer, row)
      await connected(device)
    })
  })

  describe('the store fails once the network has it', () => {
    test.each(named)('%s is never called refused, and a key never asks again', async (_, row) => {
      const { prepared, ask, fault, asked } = await standing(row)
      await fault('slow', { ms: 700 })
      const key = row.keyed ? freshKey() : {}
      const before = await asked()
      const asking = ask(key)
      await reached(asking, async () => (await asked()) > before)
      const mend = breakStore(world.dataDir)
      const answer = await asking.finally(mend)
      // What only looks had no effect, and may say that the answer could not be kept.
      expect([200, row.looks ? 502 : 504], answer.text).toContain(answer.status)
      if (!row.looks) await until(() => isThere(prepared, answer))
      if (!row.keyed) return
      const again = await ask(key)
      expect([200, 504], again.text).toContain(again.status)
      expect(again.headers.get('idempotency-replayed')).toBe('true')
      expect(await asked()).toBe(before + 1)
    })
  })

  test('the simulated network met no request that it does not know', async () => {
    expect((await world.sim('GET', '/unknown')).requests).toEqual([])
  })
}

let keys = 0
/** One that a second try of a test has not used. */
const freshKey = () => ({ 'idempotency-key': `ending-${++keys}` })

/** What is asked for has come to the network; if it never does, the error tells what the caller heard in its place. */
async function reached(asking: Promise<Answer>, isAsked: () => Promise<boolean>): Promise<void> {
  let told = 'nothing yet'
  const heard = asking.then(({ status, text }) => {
    told = `${status} ${text}`
  })
  heard.catch(() => undefined)
  await until(isAsked).catch((thrown: Error) => {
    throw new Error(`${thrown.message}; the caller was told ${told}`)
  })
}

function isAbout(entry: Logged, { begins, question: { tag, ...wanted } }: Row): boolean {
  if (begins) return begins(entry)
  const { what, xmlns, tags = [] } = entry
  if (wanted.xmlns === undefined) return what === tag
  return xmlns === wanted.xmlns && (tag === undefined || tags.includes(tag))
}

/** A message to somebody else, such as what a device tells its own phone, is not what was asked for. */
const isMeant = ({ what, to }: Logged, { reader }: Prepared): boolean =>
  what !== 'message' || reader === undefined || !isPerson(to) || to === person(reader)

const isPerson = (to?: string) => to?.endsWith('@s.msgnet.net')

const ask = ({ caller }: LinkedDevice, { method = 'POST', path, body }: Prepared, headers = {}) =>
  caller.ask(method, path, body, headers)

function expectUnknown(answer: Answer, { traced }: Row) {
  expect([answer.status, answer.body.error]).toEqual([504, 'outcome_unknown'])
  if (traced) expect(answer.body.messageid).toMatch(/^[0-9A-F]{22}$/)
}

async function isThere(prepared: Prepared, answer: Answer): Promise<boolean> {
  if (await prepared.there(answer.body)) return true
  throw new Error(`the network does not have it; the caller was told ${answer.status} ${answer.text}`)
}

/** A message that did arrive comes to light by the addressee's receipt. */
async function known(ask: (key: Record<string, string>) => Promise<Answer>, key: Record<string, string>) {
  const answer = await ask(key)
  return answer.status === 200 && answer
}
