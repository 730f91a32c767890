// Two hosts on one store, without a network: whose batches count, and what the second finds of the first.

import { createSilentLog } from '@msgnet/session-host/process/host-log.ts'
import { Outbox } from '@msgnet/session-host/reports/outbox.ts'
import { Journal } from '@msgnet/session-host/store/act-journal.ts'
import { FencedError, FencedStore } from '@msgnet/session-host/store/fenced-store.ts'
import {
  claimSession,
  findSession,
  type SessionRow,
  storeSession,
} from '@msgnet/session-host/store/session-store.ts'
import { openSharedStore } from '@msgnet/session-host/store/shared-store.ts'
import type { Report } from '@msgnet/shared/wire/host-reports.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
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
  one = new FencedStore(first, lease.one, 'one')
  other = new FencedStore(second, lease.other, 'other')
})

beforeEach(() => server.queryRows('delete from outbox'))

afterAll(() => server.close())

const claimRow = async (store: FencedStore, instance: string, epoch: number): Promise<SessionRow> => {
  const row = await claimSession(store, { instance, epoch, kind: 'msgnet' })
  if (!row) throw new Error('it was not to be had')
  return row
}

const createReport = (instance: string, epoch: number, rev: number) => ({
  t: 'state' as const,
  instance,
  epoch,
  state: {
    rev,
    status: 'connected' as const,
    connected: true,
    loggedIn: true,
    jid: '',
    lid: '',
    profileName: '',
    pairing: null,
    lastDisconnect: 0,
    lastDisconnectReason: '' as const,
  },
})

test('after another host has claimed a session, a batch of the first one is rejected', async () => {
  const instance = crypto.randomUUID()
  const row = await claimRow(one, instance, 1)
  const removed: string[] = []
  one.onTakenOver((which) => removed.push(which))
  await one.commitFor(instance, [storeSession(one, { ...row, profileName: 'by one' })])

  await claimRow(other, instance, 2)
  const late = one.commitFor(instance, [storeSession(one, { ...row, profileName: 'too late' })])
  await expect(late).rejects.toThrow(FencedError)
  expect(removed).toEqual([instance])
  expect(await findSession(other, instance)).toMatchObject({
    holder: 'other',
    epoch: 2,
    profileName: 'by one',
  })
  expect(await claimSession(one, { instance, epoch: 1, kind: 'msgnet' })).toBe(undefined)
})

test('a rejected batch does not affect another one of the same moment', async () => {
  const [removed, ...remaining] = Array.from({ length: 6 }, () => crypto.randomUUID())
  const rows = await Promise.all([removed, ...remaining].map((instance) => claimRow(one, instance ?? '', 1)))
  await claimRow(other, removed ?? '', 2)
  const written = await Promise.allSettled(
    rows.map((row) => one.commitFor(row.instance, [storeSession(one, { ...row, profileName: 'by one' })])),
  )
  expect(written.map(({ status }) => status)).toEqual(['rejected', ...remaining.map(() => 'fulfilled')])
  const found = await Promise.all(rows.map(({ instance }) => findSession(one, instance)))
  expect(found.map((row) => row?.profileName)).toEqual(['', ...remaining.map(() => 'by one')])
})

test('without a lease nothing is written or claimed', async () => {
  const instance = crypto.randomUUID()
  const row = await claimRow(one, instance, 1)
  lease.one.runs = false
  try {
    const unleased = [
      one.commitFor(instance, [storeSession(one, { ...row, profileName: 'unleased' })]),
      one.commit([storeSession(one, { ...row, profileName: 'unleased' })]),
      claimSession(one, { instance, epoch: 2, kind: 'msgnet' }),
    ]
    for (const write of unleased) await expect(write).rejects.toThrow(FencedError)
  } finally {
    lease.one.runs = true
  }
  expect(await findSession(one, instance)).toEqual(row)
})

test('unsent reports move with the instance, in order, under its new epoch, after those of the new host', async () => {
  const [moving, staying] = [crypto.randomUUID(), crypto.randomUUID()]
  const [own, peer] = [new Outbox(one, createSilentLog()), new Outbox(other, createSilentLog())]
  await claimRow(one, moving, 1)
  await claimRow(other, staying, 1)
  for (const rev of [1, 2, 3]) await own.commit(moving, [], [createReport(moving, 1, rev)])
  await peer.commit(staying, [], [createReport(staying, 1, 1)])
  const sent: Report[] = []
  peer.open((items) => sent.push(...items.map((item) => JSON.parse(item))), 10)
  await expect.poll(() => sent.length).toBe(1)
  const upTo = sent[0]?.n ?? 0

  await claimRow(other, moving, 2)
  peer.sendStored()
  await expect.poll(() => sent.length).toBe(4)
  const moved = sent.slice(1)
  expect(
    moved.map((report) => [report.instance, report.epoch, report.t === 'state' && report.state.rev]),
  ).toEqual([1, 2, 3].map((rev) => [moving, 2, rev]))
  expect(moved.every(({ n }) => n > upTo)).toBe(true)
  // The first host may not delete reports that it sent and whose ack arrives now.
  own.open(() => undefined, 1)
  await own.acknowledge(1e9, [])
  expect(await peer.countWaiting()).toBe(4)
  await peer.acknowledge(moved.at(-1)?.n ?? 0, [])
  expect([await own.countWaiting(), await peer.countWaiting()]).toEqual([0, 0])
})

test('reports of a moved instance stay stored for its new host when the others are acknowledged', async () => {
  const [moving, staying] = [crypto.randomUUID(), crypto.randomUUID()]
  const outbox = new Outbox(one, createSilentLog())
  for (const instance of [moving, staying]) {
    await claimRow(one, instance, 1)
    await outbox.commit(instance, [], [createReport(instance, 1, 1)])
  }
  const sent: Report[] = []
  outbox.open((items) => sent.push(...items.map((item) => JSON.parse(item))), 1)
  await expect.poll(() => sent.length).toBe(2)
  await outbox.acknowledge(sent.at(-1)?.n ?? 0, [moving])
  const left = await server.queryRows('select instance from outbox')
  expect(left).toEqual([{ instance: moving }])
})

test('they stay stored when later frames are acknowledged, until the new host has them', async () => {
  const [moving, staying] = [crypto.randomUUID(), crypto.randomUUID()]
  const [own, peer] = [new Outbox(one, createSilentLog()), new Outbox(other, createSilentLog())]
  for (const instance of [moving, staying]) await claimRow(one, instance, 1)
  const sent: Report[] = []
  own.open((items) => sent.push(...items.map((item) => JSON.parse(item))), 10)
  const findLastNumber = () => sent.at(-1)?.n ?? 0
  await own.commit(moving, [], [createReport(moving, 1, 1)])
  await until(() => sent.length === 1)
  // The edge has assigned it to the other host by now, which has not received that yet.
  await own.acknowledge(findLastNumber(), [moving])
  for (const rev of [1, 2]) {
    await own.commit(staying, [], [createReport(staying, 1, rev)])
    await until(() => sent.length === 1 + rev)
    await own.acknowledge(findLastNumber(), [])
  }
  const listRemaining = () =>
    server.queryRows(`select holder from outbox where instance in ('${moving}', '${staying}')`)
  expect(await listRemaining()).toEqual([{ holder: 'one' }])

  await claimRow(other, moving, 2)
  const reported: Report[] = []
  peer.open((items) => reported.push(...items.map((item) => JSON.parse(item))), 10)
  await until(() => reported.length === 1)
  expect(reported).toMatchObject([{ instance: moving, epoch: 2, state: { rev: 1 } }])
  await peer.acknowledge(reported[0]?.n ?? 0, [])
  expect(await listRemaining()).toEqual([])
})

test('an instance that returns to the rejected host has its reports sent and deleted there', async () => {
  const moving = crypto.randomUUID()
  const outbox = new Outbox(one, createSilentLog())
  await claimRow(one, moving, 1)
  const sent: Report[] = []
  outbox.open((items) => sent.push(...items.map((item) => JSON.parse(item))), 10)
  await outbox.commit(moving, [], [createReport(moving, 1, 1)])
  await until(() => sent.length === 1)
  await outbox.acknowledge(sent[0]?.n ?? 0, [moving])

  await claimRow(one, moving, 3)
  outbox.sendStored()
  await until(() => sent.length === 2)
  expect(sent[1]).toMatchObject({ instance: moving, epoch: 3, state: { rev: 1 } })
  await outbox.acknowledge(sent[1]?.n ?? 0, [])
  expect(await server.queryRows(`select n from outbox where instance = '${moving}'`)).toEqual([])
})

test('the new host answers for acts of the previous host: those that were running are unknown', async () => {
  const instance = crypto.randomUUID()
  await claimRow(one, instance, 1)
  const [running, finished] = [crypto.randomUUID(), crypto.randomUUID()]
  const [own, peer] = [new Journal(one), new Journal(other)]
  for (const id of [running, finished])
    await own.openAct({ id, instance, action: 'message.sendText', messageid: '3EB0' }, true)
  await own.storeOutcome({ id: finished, instance }, { kind: 'done', result: {} })

  await claimRow(other, instance, 2)
  await own.storeOutcome({ id: running, instance }, { kind: 'done', result: 'of a host that was frozen' })
  expect((await peer.findAct(running))?.outcome).toMatchObject({ kind: 'unknown' })
  expect((await peer.findAct(finished))?.outcome).toMatchObject({ kind: 'done' })
  expect((await peer.listUnseen()).map(({ id }) => id).sort()).toEqual([running, finished].sort())
  expect(await own.listUnseen()).toEqual([])
})
