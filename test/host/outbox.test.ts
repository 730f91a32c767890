// Reports in frames: by their bytes, and no report is too large to leave.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { silentLog } from '../../session-host/log.ts'
import { makeOutbox, type NewReport } from '../../session-host/outbox.ts'
import { fenceStore } from '../../session-host/store/fencing.ts'
import { claimSession } from '../../session-host/store/sessions.ts'
import { openStore, type Store, statement } from '../../session-host/store/store.ts'
import { parseHostFrames } from '../../shared/wire/frames.ts'
import type { Report } from '../../shared/wire/reports.ts'

const KIB = 1024
const instance = crypto.randomUUID()
const dataDir = mkdtempSync(join(tmpdir(), 'outbox-'))
let store: Store

beforeAll(async () => {
  store = await openStore(join(dataDir, 'host.db'), () => undefined)
})
beforeEach(() => store.commit([statement('DELETE FROM outbox')]))
afterAll(async () => {
  await store.close()
  rmSync(dataDir, { recursive: true, force: true })
})

function outboxOf() {
  const held = fenceStore(store, { runs: true }, '')
  held.writeUnder(instance, 1)
  return makeOutbox(held, silentLog())
}

const saying = (text: string): NewReport => ({
  ...{ t: 'event', instance, epoch: 1, id: crypto.randomUUID(), type: 'messages', owner: '', at: 1 },
  payload: { message: { text } },
})

/** Frames of a link that acknowledges each, until `count` reports have come. */
async function framesFor(outbox: ReturnType<typeof outboxOf>, count: number) {
  const frames: string[] = []
  const reports = () =>
    frames
      .flatMap((json) => parseHostFrames(json) ?? [])
      .flatMap((frame) => (frame.t === 'events' ? frame.items : []))
  outbox.open((items) => {
    frames.push(`[{"t":"events","items":[${items.join()}]}]`)
    void outbox.acknowledge(reports().at(-1)?.n ?? 0, [])
  }, 2)
  await expect.poll(() => reports().length).toBe(count)
  await expect.poll(() => outbox.depth()).toBe(0)
  return { frames, reports: reports() }
}

test('a frame is filled by the bytes that are sent, whatever characters they are', async () => {
  const outbox = outboxOf()
  // 90 KB of UTF-8 in 30,000 characters; 60 KB of JSON in 10,000.
  const texts = Array.from({ length: 20 }, (_, n) => (n % 2 ? '漢'.repeat(30_000) : '\u0001'.repeat(10_000)))
  await outbox.commit(instance, [], texts.map(saying))
  const { frames, reports } = await framesFor(outbox, 20)
  expect(Math.max(...frames.map((frame) => Buffer.byteLength(frame)))).toBeLessThan(260 * KIB)
  expect(reports.map((report) => report.t === 'event' && report.payload.message)).toEqual(
    texts.map((text) => ({ text })),
  )
})

test('a report too large for any frame leaves cut and marked, and those behind it leave after it', async () => {
  const outbox = outboxOf()
  await outbox.commit(instance, [], [saying('before'), saying('\u0001'.repeat(1_000_000)), saying('behind')])
  const { frames, reports } = await framesFor(outbox, 3)
  expect(Math.max(...frames.map((frame) => Buffer.byteLength(frame)))).toBeLessThan(1000 * KIB)
  const payloads = reports.map((report) => report.t === 'event' && report.payload)
  expect(payloads[0]).toEqual({ message: { text: 'before' } })
  expect(payloads[1]).toMatchObject({
    truncated: true,
    message: { text: expect.stringContaining('\u0001'.repeat(40_000)) },
  })
  expect(payloads[2]).toEqual({ message: { text: 'behind' } })
})

test('the store is read once for each report, and not again when the edge has confirmed it', async () => {
  const held = fenceStore(store, { runs: true }, '')
  held.writeUnder(instance, 1)
  let reads = 0
  const counting: typeof held = {
    ...held,
    rows(sql, ...values) {
      if (sql.startsWith('WITH waiting')) reads += 1
      return held.rows(sql, ...values)
    },
  }
  const outbox = makeOutbox(counting, silentLog())
  const sent: Report[] = []
  outbox.open((items) => sent.push(...items.map((item) => JSON.parse(item))), 10)
  for (let n = 1; n <= 5; n++) {
    await outbox.commit(instance, [], [saying(`report ${n}`)])
    await expect.poll(() => sent.length).toBe(n)
    await outbox.acknowledge(sent.at(-1)?.n ?? 0, [])
  }
  // The first read was for the link.
  expect(reads).toBe(1 + 5)
})

test('of more reports than a frame holds none is left behind', async () => {
  const outbox = outboxOf()
  await outbox.commit(
    instance,
    [],
    Array.from({ length: 450 }, (_, n) => saying(`report ${n}`)),
  )
  const { reports } = await framesFor(outbox, 450)
  expect(reports.map((report) => report.t === 'event' && report.payload.message)).toEqual(
    Array.from({ length: 450 }, (_, n) => ({ text: `report ${n}` })),
  )
})

test('what is refused waits as long as the instance has a session here, and is dropped when nobody could report it', async () => {
  const [staying, gone] = [crypto.randomUUID(), crypto.randomUUID()]
  const held = fenceStore(store, { runs: true }, '')
  const outbox = makeOutbox(held, silentLog())
  await claimSession(held, { instance: staying, epoch: 1, kind: 'msgnet' })
  held.writeUnder(gone, 1)
  const sent: Report[] = []
  outbox.open((items) => sent.push(...items.map((item) => JSON.parse(item))), 10)
  for (const one of [staying, gone]) await outbox.commit(one, [], [{ ...saying('refused'), instance: one }])
  await expect.poll(() => sent.length).toBe(2)
  await outbox.acknowledge(sent.at(-1)?.n ?? 0, [staying, gone])
  await held.tidyUp()
  expect(await store.rows('SELECT instance FROM outbox')).toEqual([{ instance: staying }])
})
