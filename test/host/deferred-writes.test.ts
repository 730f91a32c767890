// What is deferred goes with the next commit of its instance, and no frame leaves before it is on disk.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { FencedOff, type FencedStore, fenceStore } from '../../session-host/store/fencing.ts'
import { openStore, type Store, statement } from '../../session-host/store/store.ts'
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
  store = fenceStore(disk, lease, '')
  for (const instance of [ONE, OTHER]) store.writeUnder(instance, 1)
})
afterEach(() => disk.close())
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

const write = (instance: string, report: string) =>
  statement('INSERT INTO outbox (holder, instance, report) VALUES (?, ?, ?)', '', instance, report)
const refused = statement('INSERT INTO fence (held) VALUES (0)')
const reports = async () =>
  (await disk.rows('SELECT report FROM outbox ORDER BY n')).map(({ report }) => report)

test('it goes with the next commit of its instance, ahead of it, in one transaction', async () => {
  const deferred = await store.defer(ONE, [write(ONE, 'first')])
  await store.commitFor(OTHER, [write(OTHER, 'of another')])
  expect(await reports()).toEqual(['of another'])
  const before = disk.written.commits
  await store.commitFor(ONE, [write(ONE, 'second')])
  await deferred.written
  expect(await reports()).toEqual(['of another', 'first', 'second'])
  expect(disk.written.commits - before).toBe(1)
  expect(store.writeDeferred(ONE)).toBeUndefined()
})

test('it goes by itself when it is asked for, and not with a commit that is of no instance', async () => {
  await store.defer(ONE, [write(ONE, 'asked for')])
  await store.commit([write('', 'of none')])
  await store.writeDeferred(ONE)
  expect(await reports()).toEqual(['of none', 'asked for'])
})

test('where it is refused the commit fails that it goes with, and so does the next frame, once', async () => {
  const { written } = await store.defer(ONE, [refused])
  await expect(store.commitFor(ONE, [write(ONE, 'second')])).rejects.toThrow(/constraint/i)
  await expect(written).rejects.toThrow(/constraint/i)
  await expect(store.beforeFrame(ONE)).rejects.toThrow(/lost/)
  expect(store.beforeFrame(ONE)).toBeUndefined()
  await store.commitFor(ONE, [write(ONE, 'third')])
  expect(await reports()).toContain('third')
})

test('whoever commits while it is on its way waits for it, and fails with it', async () => {
  await store.defer(ONE, [refused])
  const all = [store.writeDeferred(ONE), store.commitFor(ONE, [write(ONE, 'second')]), store.beforeFrame(ONE)]
  expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual([
    'rejected',
    'rejected',
    'rejected',
  ])
})

test('once the instance is let go, or the lease is over, it is never written', async () => {
  const ours = await store.defer(ONE, [write(ONE, 'let go')])
  store.stopWriting(ONE)
  await expect(ours.written).rejects.toThrow(FencedOff)
  const theirs = await store.defer(OTHER, [write(OTHER, 'too late')])
  lease.runs = false
  await expect(store.writeDeferred(OTHER)).rejects.toThrow(FencedOff)
  await expect(theirs.written).rejects.toThrow(FencedOff)
  lease.runs = true
  await store.commit([write('', 'after it')])
  expect(await reports()).toEqual(['after it'])
})

const ANNA = '5511320000001'
const BEN = '5511320000002'

const send = async ({ connection }: Line, id: string) => {
  const encoded = connection.encode({ kind: 'text', text: id, mentions: [] })
  const to = `${BEN}@s.msgnet.net`
  return connection.send(id, to, encoded?.encoded ?? new Uint8Array(), AbortSignal.timeout(20_000))
}
const inbox = async (world: DriverWorld) =>
  (await world.sim<{ messages: { text: string }[] }>('GET', `/phones/${BEN}/inbox`)).messages.map(
    ({ text }) => text,
  )

test('frames wait in their order for what must be on disk, and none leaves when that fails', async () => {
  let writing: Promise<void> | undefined
  const world = await startDriver(undefined, { writeFirst: () => writing })
  await world.sim('POST', '/phones', { number: BEN, name: 'Ben' })
  const instance = await world.linked(ANNA)
  let line = await world.connect(instance)
  await until(() => line.account)
  expect(await send(line, 'FIRST')).toMatchObject({ kind: 'done' })

  const disk = Promise.withResolvers<void>()
  writing = disk.promise
  const waiting = Promise.all([send(line, 'SECOND'), send(line, 'THIRD')])
  expect(await Promise.race([waiting, world.sim('GET', '/log')])).toHaveProperty('entries')
  writing = undefined
  disk.resolve()
  expect(await waiting).toMatchObject([{ kind: 'done' }, { kind: 'done' }])
  expect(line.closed).toBe(false)

  writing = Promise.reject(new Error('the disk is full'))
  writing.catch(() => undefined)
  expect((await send(line, 'UNSAVED')).kind).not.toBe('done')
  await until(() => line.closed)
  writing = undefined
  line = await world.connect(instance)
  await until(() => line.account)
  expect(await send(line, 'NEXT')).toMatchObject({ kind: 'done' })
  expect((await inbox(world)).toSorted()).toEqual(['FIRST', 'NEXT', 'SECOND', 'THIRD'])
  await world.close()
})
