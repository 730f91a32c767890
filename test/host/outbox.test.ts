// Reports in frames, which are filled by bytes.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InValue } from '@libsql/client'
import { createSilentLog } from '@msgnet/session-host/process/host-log.ts'
import { type NewReport, Outbox } from '@msgnet/session-host/reports/outbox.ts'
import { FencedStore } from '@msgnet/session-host/store/fenced-store.ts'
import { openStore, type Store, statement } from '@msgnet/session-host/store/host-store.ts'
import { claimSession } from '@msgnet/session-host/store/session-store.ts'
import type { Report } from '@msgnet/shared/wire/host-reports.ts'
import { parseHostFrames } from '@msgnet/shared/wire/link-frames.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

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

function createOutbox() {
  const fenced = new FencedStore(store, { runs: true }, '')
  fenced.setEpoch(instance, 1)
  return new Outbox(fenced, createSilentLog())
}

const createReport = (text: string): NewReport => ({
  t: 'event',
  instance,
  epoch: 1,
  id: crypto.randomUUID(),
  type: 'messages',
  owner: '',
  at: 1,
  payload: { message: { text } },
})

/** Frames of a link that acknowledges each, until `count` reports have come. */
async function collectFrames(outbox: ReturnType<typeof createOutbox>, count: number) {
  const frames: string[] = []
  const listReports = () =>
    frames
      .flatMap((json) => parseHostFrames(json) ?? [])
      .flatMap((frame) => (frame.t === 'events' ? frame.items : []))
  outbox.open((items) => {
    frames.push(`[{"t":"events","items":[${items.join()}]}]`)
    void outbox.acknowledge(listReports().at(-1)?.n ?? 0, [])
  }, 2)
  await expect.poll(() => listReports().length).toBe(count)
  await expect.poll(() => outbox.countWaiting()).toBe(0)
  return { frames, reports: listReports() }
}

test('a frame is filled by the bytes of its reports, whatever their characters', async () => {
  const outbox = createOutbox()
  // 90 KB of UTF-8 in 30,000 characters; 60 KB of JSON in 10,000.
  const texts = Array.from({ length: 20 }, (_, n) => (n % 2 ? '漢'.repeat(30_000) : '\u0001'.repeat(10_000)))
  await outbox.commit(instance, [], texts.map(createReport))
  const { frames, reports } = await collectFrames(outbox, 20)
  expect(Math.max(...frames.map((frame) => Buffer.byteLength(frame)))).toBeLessThan(260 * KIB)
  expect(reports.map((report) => report.t === 'event' && report.payload.message)).toEqual(
    texts.map((text) => ({ text })),
  )
})

test('the store is read once for each report, and not again after its acknowledgement', async () => {
  let reads = 0
  class CountingStore extends FencedStore {
    override rows(sql: string, ...values: InValue[]) {
      if (sql.startsWith('WITH waiting')) reads += 1
      return super.rows(sql, ...values)
    }
  }
  const fenced = new CountingStore(store, { runs: true }, '')
  fenced.setEpoch(instance, 1)
  const outbox = new Outbox(fenced, createSilentLog())
  const sent: Report[] = []
  outbox.open((items) => sent.push(...items.map((item) => JSON.parse(item))), 10)
  for (let n = 1; n <= 5; n++) {
    await outbox.commit(instance, [], [createReport(`report ${n}`)])
    await expect.poll(() => sent.length).toBe(n)
    await outbox.acknowledge(sent.at(-1)?.n ?? 0, [])
  }
  // The first read was for the link.
  expect(reads).toBe(1 + 5)
})

test('more reports than a frame holds are all sent', async () => {
  const outbox = createOutbox()
  await outbox.commit(
    instance,
    [],
    Array.from({ length: 450 }, (_, n) => createReport(`report ${n}`)),
  )
  const { reports } = await collectFrames(outbox, 450)
  expect(reports.map((report) => report.t === 'event' && report.payload.message)).toEqual(
    Array.from({ length: 450 }, (_, n) => ({ text: `report ${n}` })),
  )
})

test('refused reports wait while the instance has a session here, and are dropped when no host could report them', async () => {
  const [staying, gone] = [crypto.randomUUID(), crypto.randomUUID()]
  const fenced = new FencedStore(store, { runs: true }, '')
  const outbox = new Outbox(fenced, createSilentLog())
  await claimSession(fenced, { instance: staying, epoch: 1, kind: 'msgnet' })
  fenced.setEpoch(gone, 1)
  const sent: Report[] = []
  outbox.open((items) => sent.push(...items.map((item) => JSON.parse(item))), 10)
  for (const one of [staying, gone])
    await outbox.commit(one, [], [{ ...createReport('refused'), instance: one }])
  await expect.poll(() => sent.length).toBe(2)
  await outbox.acknowledge(sent.at(-1)?.n ?? 0, [staying, gone])
  await fenced.runCleanups()
  expect(await store.rows('SELECT instance FROM outbox')).toEqual([{ instance: staying }])
})
