// Two hosts on one store, without a network: whose batches count, and what the second finds of the first.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { silentLog } from '../../session-host/log.ts'
import { makeOutbox } from '../../session-host/outbox.ts'
import { FencedOff, type FencedStore, fenceStore } from '../../session-host/store/fencing.ts'
import { makeJournal } from '../../session-host/store/journal.ts'
import { claimSession, findSession, keepSession, type SessionRow } from '../../session-host/store/sessions.ts'
import { openSharedStore } from '../../session-host/store/shared-store.ts'
import type { Report } from '../../shared/wire/reports.ts'
import { until } from '../until.ts'
import { type SharedStore, startSharedStore } from './hosts.ts'

let server: SharedStore
const lease = { one: { runs: true }, other: { runs: true } }
let one: FencedStore
let other: FencedStore

beforeAll(async () => {
  server = await startSharedStore()
  // At the same time, as hosts do that start together on an empty server.
  const [first, second] = await Promise.all([
    openSharedStore(server.url, server.token),
    openSharedStore(server.url, server.token),
  ])
  expect(first.id).toBe(second.id)
  one = fenceStore(first, lease.one, 'one')
  other = fenceStore(second, lease.other, 'other')
})

beforeEach(() => server.rows('delete from outbox'))

afterAll(() => server.close())

const claimed = async (store: FencedStore, instance: string, epoch: number): Promise<SessionRow> => {
  const row = await claimSession(store, { instance, epoch, kind: 'msgnet' })
  if (!row) throw new Error('it was not to be had')
  return row
}

const stateOf = (instance: string, epoch: number, rev: number) => ({
  ...{ t: 'state' as const, instance, epoch },
  state: {
    ...{
      rev,
      status: 'connected' as const,
      connected: true,
      loggedIn: true,
      jid: '',
      lid: '',
      profileName: '',
    },
    ...{ pairing: null, lastDisconnect: 0, lastDisconnectReason: '' as const },
  },
})

test('once another host has claimed it, a batch of the first changes nothing, and it is told so', async () => {
  const instance = crypto.randomUUID()
  const row = await claimed(one, instance, 1)
  const lost: string[] = []
  one.onLost((which) => lost.push(which))
  await one.commitFor(instance, [keepSession(one, { ...row, profileName: 'by one' })])

  await claimed(other, instance, 2)
  const late = one.commitFor(instance, [keepSession(one, { ...row, profileName: 'too late' })])
  await expect(late).rejects.toThrow(FencedOff)
  expect(lost).toEqual([instance])
  expect(await findSession(other, instance)).toMatchObject({
    holder: 'other',
    epoch: 2,
    profileName: 'by one',
  })
  expect(await claimSession(one, { instance, epoch: 1, kind: 'msgnet' })).toBe(undefined)
})

test('a batch that is refused takes no other with it that was sent at the same time', async () => {
  const [lost, ...kept] = Array.from({ length: 6 }, () => crypto.randomUUID())
  const rows = await Promise.all([lost, ...kept].map((instance) => claimed(one, instance ?? '', 1)))
  await claimed(other, lost ?? '', 2)
  const written = await Promise.allSettled(
    rows.map((row) => one.commitFor(row.instance, [keepSession(one, { ...row, profileName: 'by one' })])),
  )
  expect(written.map(({ status }) => status)).toEqual(['rejected', ...kept.map(() => 'fulfilled')])
  const found = await Promise.all(rows.map(({ instance }) => findSession(one, instance)))
  expect(found.map((row) => row?.profileName)).toEqual(['', ...kept.map(() => 'by one')])
})

test('without a lease nothing is written, and nothing claimed', async () => {
  const instance = crypto.randomUUID()
  const row = await claimed(one, instance, 1)
  lease.one.runs = false
  try {
    const unleased = [
      one.commitFor(instance, [keepSession(one, { ...row, profileName: 'unleased' })]),
      one.commit([keepSession(one, { ...row, profileName: 'unleased' })]),
      claimSession(one, { instance, epoch: 2, kind: 'msgnet' }),
    ]
    for (const write of unleased) await expect(write).rejects.toThrow(FencedOff)
  } finally {
    lease.one.runs = true
  }
  expect(await findSession(one, instance)).toEqual(row)
})

test('unsent reports go with the instance: under its new epoch, in order, behind what the new host has sent', async () => {
  const [moving, staying] = [crypto.randomUUID(), crypto.randomUUID()]
  const [mine, theirs] = [makeOutbox(one, silentLog()), makeOutbox(other, silentLog())]
  await claimed(one, moving, 1)
  await claimed(other, staying, 1)
  for (const rev of [1, 2, 3]) await mine.commit(moving, [], [stateOf(moving, 1, rev)])
  await theirs.commit(staying, [], [stateOf(staying, 1, 1)])
  const sent: Report[] = []
  theirs.open((items) => sent.push(...items.map((item) => JSON.parse(item))), 10)
  await expect.poll(() => sent.length).toBe(1)
  const upTo = sent[0]?.n ?? 0

  await claimed(other, moving, 2)
  theirs.kick()
  await expect.poll(() => sent.length).toBe(4)
  const moved = sent.slice(1)
  expect(
    moved.map((report) => [report.instance, report.epoch, report.t === 'state' && report.state.rev]),
  ).toEqual([1, 2, 3].map((rev) => [moving, 2, rev]))
  expect(moved.every(({ n }) => n > upTo)).toBe(true)
  // What the first had on its way and hears of now is not its own to forget.
  mine.open(() => undefined, 1)
  await mine.acknowledge(1e9, [])
  expect(await theirs.depth()).toBe(4)
  await theirs.acknowledge(moved.at(-1)?.n ?? 0, [])
  expect([await mine.depth(), await theirs.depth()]).toEqual([0, 0])
})

test('the reports of an instance that has moved are kept for its new host when the rest is acknowledged', async () => {
  const [moving, staying] = [crypto.randomUUID(), crypto.randomUUID()]
  const outbox = makeOutbox(one, silentLog())
  for (const instance of [moving, staying]) {
    await claimed(one, instance, 1)
    await outbox.commit(instance, [], [stateOf(instance, 1, 1)])
  }
  const sent: Report[] = []
  outbox.open((items) => sent.push(...items.map((item) => JSON.parse(item))), 1)
  await expect.poll(() => sent.length).toBe(2)
  await outbox.acknowledge(sent.at(-1)?.n ?? 0, [moving])
  const left = await server.rows('select instance from outbox')
  expect(left).toEqual([{ instance: moving }])
})

test('they are kept too when later frames are acknowledged that tell of others only, and until the new host has them', async () => {
  const [moving, staying] = [crypto.randomUUID(), crypto.randomUUID()]
  const [mine, theirs] = [makeOutbox(one, silentLog()), makeOutbox(other, silentLog())]
  for (const instance of [moving, staying]) await claimed(one, instance, 1)
  const sent: Report[] = []
  mine.open((items) => sent.push(...items.map((item) => JSON.parse(item))), 10)
  const last = () => sent.at(-1)?.n ?? 0
  await mine.commit(moving, [], [stateOf(moving, 1, 1)])
  await until(() => sent.length === 1)
  // The edge has assigned it to the other host by now, which has not heard of it yet.
  await mine.acknowledge(last(), [moving])
  for (const rev of [1, 2]) {
    await mine.commit(staying, [], [stateOf(staying, 1, rev)])
    await until(() => sent.length === 1 + rev)
    await mine.acknowledge(last(), [])
  }
  const left = () => server.rows(`select holder from outbox where instance in ('${moving}', '${staying}')`)
  expect(await left()).toEqual([{ holder: 'one' }])

  await claimed(other, moving, 2)
  const told: Report[] = []
  theirs.open((items) => told.push(...items.map((item) => JSON.parse(item))), 10)
  await until(() => told.length === 1)
  expect(told).toMatchObject([{ instance: moving, epoch: 2, state: { rev: 1 } }])
  await theirs.acknowledge(told[0]?.n ?? 0, [])
  expect(await left()).toEqual([])
})

test('an instance that comes back to the host that was refused has its reports told and forgotten there', async () => {
  const moving = crypto.randomUUID()
  const outbox = makeOutbox(one, silentLog())
  await claimed(one, moving, 1)
  const sent: Report[] = []
  outbox.open((items) => sent.push(...items.map((item) => JSON.parse(item))), 10)
  await outbox.commit(moving, [], [stateOf(moving, 1, 1)])
  await until(() => sent.length === 1)
  await outbox.acknowledge(sent[0]?.n ?? 0, [moving])

  await claimed(one, moving, 3)
  outbox.kick()
  await until(() => sent.length === 2)
  expect(sent[1]).toMatchObject({ instance: moving, epoch: 3, state: { rev: 1 } })
  await outbox.acknowledge(sent[1]?.n ?? 0, [])
  expect(await server.rows(`select n from outbox where instance = '${moving}'`)).toEqual([])
})

test('the new host answers for the acts of the one before: what was running is unknown', async () => {
  const instance = crypto.randomUUID()
  await claimed(one, instance, 1)
  const [running, finished] = [crypto.randomUUID(), crypto.randomUUID()]
  const [mine, theirs] = [makeJournal(one), makeJournal(other)]
  for (const id of [running, finished])
    await mine.open({ id, instance, action: 'message.sendText', messageid: '3EB0' })
  await mine.settle({ id: finished, instance }, { kind: 'done', result: {} })

  await claimed(other, instance, 2)
  await mine.settle({ id: running, instance }, { kind: 'done', result: 'of a host that was frozen' })
  expect((await theirs.find(running))?.outcome).toMatchObject({ kind: 'unknown' })
  expect((await theirs.find(finished))?.outcome).toMatchObject({ kind: 'done' })
  expect((await theirs.unseen()).map(({ id }) => id).sort()).toEqual([running, finished].sort())
  expect(await mine.unseen()).toEqual([])
})
