// What is deferred goes with the next commit of its instance, and no frame leaves before it is on disk.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FencedError, FencedStore } from '@msgnet/session-host/store/fenced-store.ts'
import { openStore, type Store, statement } from '@msgnet/session-host/store/host-store.ts'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../until.ts'
import { type DriverWorld, type Line, startDriver } from './driver.ts'

const ONE = crypto.randomUUID()
const OTHER = crypto.randomUUID()
const dataDir = mkdtempSync(join(tmpdir(), 'deferred-'))
const lease = { runs: true }
let disk: Store
let store: FencedStore

beforeEach(async () => {
  lease.runs = true
  disk = await openStore(join(dataDir, `${crypto.randomUUID()}.db`), () => undefined)
  store = new FencedStore(disk, lease, '')
  for (const instance of [ONE, OTHER]) store.setEpoch(instance, 1)
})
afterEach(() => disk.close())
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

const createInsert = (instance: string, report: string) =>
  statement('INSERT INTO outbox (holder, instance, report) VALUES (?, ?, ?)', '', instance, report)
const refused = statement('INSERT INTO fence (held) VALUES (0)')
const readReports = async () =>
  (await disk.rows('SELECT report FROM outbox ORDER BY n')).map(({ report }) => report)

test('a deferred write is committed before the next commit of its instance, in one transaction', async () => {
  const deferred = await store.deferWrite(ONE, [createInsert(ONE, 'first')])
  await store.commitFor(OTHER, [createInsert(OTHER, 'of another')])
  expect(await readReports()).toEqual(['of another'])
  const before = disk.writeStats.commits
  await store.commitFor(ONE, [createInsert(ONE, 'second')])
  await deferred.written
  expect(await readReports()).toEqual(['of another', 'first', 'second'])
  expect(disk.writeStats.commits - before).toBe(1)
  expect(store.writeDeferred(ONE)).toBeUndefined()
})

test('a deferred write is flushed on request, and not with a commit of no instance', async () => {
  await store.deferWrite(ONE, [createInsert(ONE, 'asked for')])
  await store.commit([createInsert('', 'of none')])
  await store.writeDeferred(ONE)
  expect(await readReports()).toEqual(['of none', 'asked for'])
})

test('a refused deferred write fails its commit and the next frame, once', async () => {
  const { written } = await store.deferWrite(ONE, [refused])
  await expect(store.commitFor(ONE, [createInsert(ONE, 'second')])).rejects.toThrow(/constraint/i)
  await expect(written).rejects.toThrow(/constraint/i)
  await expect(store.flushBeforeFrame(ONE)).rejects.toThrow(/lost/)
  expect(store.flushBeforeFrame(ONE)).toBeUndefined()
  await store.commitFor(ONE, [createInsert(ONE, 'third')])
  expect(await readReports()).toContain('third')
})

test('a commit during a deferred write waits for it and fails with it', async () => {
  await store.deferWrite(ONE, [refused])
  const all = [
    store.writeDeferred(ONE),
    store.commitFor(ONE, [createInsert(ONE, 'second')]),
    store.flushBeforeFrame(ONE),
  ]
  expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual([
    'rejected',
    'rejected',
    'rejected',
  ])
})

test('a deferred write is dropped once the instance is released or the lease is over', async () => {
  const ours = await store.deferWrite(ONE, [createInsert(ONE, 'let go')])
  store.stopWriting(ONE)
  await expect(ours.written).rejects.toThrow(FencedError)
  const deferred = await store.deferWrite(OTHER, [createInsert(OTHER, 'too late')])
  lease.runs = false
  await expect(store.writeDeferred(OTHER)).rejects.toThrow(FencedError)
  await expect(deferred.written).rejects.toThrow(FencedError)
  lease.runs = true
  await store.commit([createInsert('', 'after it')])
  expect(await readReports()).toEqual(['after it'])
})

const ANNA = '5511320000001'
const BEN = '5511320000002'

const sendText = async ({ connection }: Line, id: string) => {
  const encoded = connection.encode({ kind: 'text', text: id, mentions: [] })
  const to = `${BEN}@s.msgnet.net`
  return connection.send(id, to, encoded?.encoded ?? new Uint8Array(), AbortSignal.timeout(20_000))
}
const readInbox = async (world: DriverWorld) =>
  (await world.sim<{ messages: { text: string }[] }>('GET', `/phones/${BEN}/inbox`)).messages.map(
    ({ text }) => text,
  )

test('frames wait in order for writes, and none is sent after a failed write', async () => {
  let writing: Promise<void> | undefined
  const world = await startDriver(undefined, { getPendingWrites: () => writing })
  await world.sim('POST', '/phones', { number: BEN, name: 'Ben' })
  const instance = await world.linkPhone(ANNA)
  let line = await world.connectInstance(instance)
  await until(() => line.account)
  expect(await sendText(line, 'FIRST')).toMatchObject({ kind: 'done' })

  const disk = Promise.withResolvers<void>()
  writing = disk.promise
  const waiting = Promise.all([sendText(line, 'SECOND'), sendText(line, 'THIRD')])
  expect(await Promise.race([waiting, world.sim('GET', '/log')])).toHaveProperty('entries')
  writing = undefined
  disk.resolve()
  expect(await waiting).toMatchObject([{ kind: 'done' }, { kind: 'done' }])
  expect(line.closed).toBe(false)

  writing = Promise.reject(new Error('the disk is full'))
  writing.catch(() => undefined)
  expect((await sendText(line, 'UNSAVED')).kind).not.toBe('done')
  await until(() => line.closed)
  writing = undefined
  line = await world.connectInstance(instance)
  await until(() => line.account)
  expect(await sendText(line, 'NEXT')).toMatchObject({ kind: 'done' })
  expect((await readInbox(world)).toSorted()).toEqual(['FIRST', 'NEXT', 'SECOND', 'THIRD'])
  await world.close()
})
