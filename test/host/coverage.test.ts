// Coverage: until when the messages of an account are here, the gaps between two of its devices, and how they are filled.

import { createClient } from '@libsql/client'
import type { Span } from '@msgnet/shared/contract/coverage.ts'
import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { DAY, MINUTE } from '@msgnet/shared/date-time.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { findMessages, linkWithHistory, listPast } from './history-stage.ts'
import { KIND, startWorld, type World } from './world.ts'

const BEN = '5511340000072'
const CARL = '5511340000073'
let world: World
let count = 0

beforeAll(async () => {
  world = await startWorld()
  await world.createPhone(BEN, 'Ben')
  await world.createPhone(CARL, 'Carl')
})
afterAll(() => world.close())

const readCoverage = (instance: string) => world.findState(instance)?.coverage

async function linkNew() {
  count += 1
  const number = await world.createPhone(`55113400007${String(count).padStart(2, '0')}9`)
  const instance = await linkWithHistory(world, number, undefined)
  const coverage = await until(() => readCoverage(instance)?.isMoving && readCoverage(instance))
  return { number, instance, coverage }
}

/** Links a device again to the same instance. */
async function linkAgain(instance: string, number: string, history?: 'recent' | 'full') {
  const outcome = await world.edge.performAction(instance, 'session.connect', {
    ...KIND,
    ...(history && { history }),
  })
  if (outcome.kind !== 'done' || outcome.result.pairing?.method !== 'qr') throw new Error('no QR')
  await world.sim('POST', `/phones/${number}/scan`, { qr: outcome.result.pairing.qr })
  await world.waitUntilLoggedIn(instance)
}

const disconnect = (instance: string) => world.edge.performAction(instance, 'session.disconnect', {})

/** The account was logged out so long ago. */
async function moveLogoutBack(instance: string, ms: number): Promise<void> {
  await world.host.stop()
  const database = createClient({ url: `file:${world.dataDir}/host/host.db` })
  await database.execute({
    sql: "UPDATE sessions SET coverage = json_set(coverage, '$.until', json_extract(coverage, '$.until') - ?1, '$.since', json_extract(coverage, '$.since') - ?1) WHERE instance = ?2",
    args: [ms, instance],
  })
  database.close()
  await world.restartHost()
}

test('a clock that was set back while the host was away makes no gap that ends before it begins', async () => {
  const { instance } = await linkNew()
  const before = world.edge.listEvents(instance, 'connection').length
  await moveLogoutBack(instance, -MINUTE)
  await world.waitUntilLoggedIn(instance)
  const gap = await until(() => {
    const events = world.edge.listEvents(instance, 'connection').slice(before)
    return events.map(({ payload }) => (payload as { gap?: Span }).gap).find(Boolean)
  })
  expect(gap.from).toBe(gap.to)
})

const listLate = (instance: string): MessageRecord[] =>
  world.edge
    .listEvents(instance, 'messages')
    .map(({ payload }) => (payload as { message: MessageRecord }).message)
    .filter(({ late }) => late)

/** Times, the newest first, so far apart. */
const spread = (messages: number, newest: number, step: number): number[] =>
  Array.from({ length: messages }, (_, at) => newest - at * step)

test('the first login begins the coverage, and its end moves while the session is up', async () => {
  const before = Date.now()
  const { instance, coverage } = await linkNew()
  expect(coverage.since).toBeGreaterThanOrEqual(before)
  expect(coverage).toMatchObject({ gaps: [], isMoving: true })
  expect(world.edge.listEvents(instance, 'connection').at(-1)?.payload).not.toHaveProperty('gap')
  await disconnect(instance)
  const after = readCoverage(instance)
  expect(after).toMatchObject({ since: coverage.since, isMoving: false, gaps: [] })
  expect(after?.until).toBeGreaterThan(coverage.until)
})

test.each([
  ['none', undefined],
  ['recent', 'recent'],
] as const)(
  'with history %s the messages of a gap of three days come late, once, unread, in order, and the older ones do not',
  async (_, history) => {
    const { number, instance } = await linkNew()
    await disconnect(instance)
    await moveLogoutBack(instance, 3 * DAY)
    const now = Date.now()
    const old = now - 3 * DAY - MINUTE
    const chunks = [
      {
        type: 'bootstrap',
        progress: 5,
        order: 1,
        inline: true,
        chats: [{ with: BEN, sentAt: [now - MINUTE] }],
      },
      {
        type: 'recent',
        progress: 50,
        order: 2,
        chats: [{ with: BEN, sentAt: spread(59, now - 2 * MINUTE, 30 * MINUTE) }],
      },
      {
        type: 'recent',
        progress: 100,
        order: 3,
        chats: [
          { with: CARL, sentAt: [...spread(40, now - MINUTE, 90 * MINUTE), ...spread(200, old, MINUTE)] },
          { with: BEN, sentAt: spread(200, old, MINUTE) },
        ],
      },
    ]
    await world.sim('POST', '/phones', { number, history: chunks })
    await linkAgain(instance, number, history)
    await until(() => readCoverage(instance)?.gaps[0]?.state === 'filled')
    await until(() => listLate(instance).length >= 100)
    const late = listLate(instance)
    expect([late.length, new Set(late.map(({ messageid }) => messageid)).size]).toEqual([100, 100])
    for (const chat of [BEN, CARL]) {
      const times = late.filter(({ chatid }) => chatid.startsWith(chat)).map((one) => one.messageTimestamp)
      expect(times).toEqual(times.toSorted((one, other) => one - other))
    }
    expect(readCoverage(instance)).toMatchObject({ gaps: [{ state: 'filled', recovered: 100 }] })
    expect(listPast(world, instance)).toHaveLength(history ? 400 : 0)
    const [newest] = await findMessages(world, instance, { chatid: `${BEN}@s.msgnet.net` })
    expect(newest).toMatchObject({ late: true, source: 'phone' })
    const connected = world.edge.listEvents(instance, 'connection').at(-1)?.payload
    const { from = 0, to = 0 } = readCoverage(instance)?.gaps[0] ?? {}
    expect(connected).toMatchObject({ status: 'connected', gap: { from, to } })
    expect(to - from).toBeGreaterThan(3 * DAY)
  },
)

test('a history that does not reach back to the gap leaves it partial', async () => {
  const { number, instance } = await linkNew()
  await disconnect(instance)
  await moveLogoutBack(instance, 3 * DAY)
  const times = spread(20, Date.now() - MINUTE, MINUTE)
  await world.sim('POST', '/phones', {
    number,
    history: [{ type: 'recent', progress: 100, chats: [{ with: BEN, sentAt: times }] }],
  })
  await linkAgain(instance, number)
  await until(() => readCoverage(instance)?.gaps[0]?.state === 'partial')
  await until(() => listLate(instance).length >= 20)
  expect(readCoverage(instance)?.gaps).toMatchObject([{ recovered: 20 }])
  await disconnect(instance)
  const { since } = readCoverage(instance) ?? {}
  const older = { with: BEN, sentAt: [...spread(5, Date.now() - 2 * DAY, MINUTE), Date.now() - 4 * DAY] }
  await world.sim('POST', '/phones', {
    number,
    history: [{ type: 'recent', progress: 100, chats: [older] }],
  })
  await linkAgain(instance, number)
  await until(() => readCoverage(instance)?.gaps.every(({ state }) => state === 'filled'))
  expect(readCoverage(instance)).toMatchObject({ since, gaps: [{ recovered: 0 }, { recovered: 25 }] })
})

test('another account begins anew', async () => {
  const { instance, coverage } = await linkNew()
  await disconnect(instance)
  const other = await world.createPhone('5511340000779')
  await linkAgain(instance, other)
  const begun = await until(() => readCoverage(instance)?.isMoving && readCoverage(instance))
  expect(begun.since).toBeGreaterThan(coverage.since)
  expect(begun.gaps).toEqual([])
})

test('an absence of the same device is told and is no gap, and a message that waited more than a minute is late', async () => {
  const { number, instance } = await linkNew()
  await world.host.stop()
  const sent = Date.now() - 2 * MINUTE
  await world.sim('POST', '/messages', { from: BEN, to: number, text: 'old', sentAt: sent })
  await world.sim('POST', '/messages', { from: BEN, to: number, text: 'new' })
  await world.restartHost()
  await until(() => world.edge.listEvents(instance, 'messages').length === 2)
  const found = await findMessages(world, instance, { chatid: `${BEN}@s.msgnet.net` })
  expect(found).toMatchObject([
    { text: 'new', late: false },
    { text: 'old', late: true },
  ])
  const { payload } = world.edge.listEvents(instance, 'connection').at(-1) ?? {}
  expect(payload).toMatchObject({
    status: 'connected',
    gap: { from: expect.any(Number), to: expect.any(Number) },
  })
  await until(() => readCoverage(instance)?.isMoving)
  expect(readCoverage(instance)?.gaps).toEqual([])
})

test('the end is stored each minute, for all sessions in one write', async () => {
  const first = await linkNew()
  const second = await linkNew()
  const before = Date.now()
  await world.clock.moveTime(MINUTE)
  const database = createClient({ url: `file:${world.dataDir}/host/host.db` })
  const { rows } = await database.execute({
    sql: "SELECT json_extract(coverage, '$.until') AS until FROM sessions WHERE instance IN (?, ?)",
    args: [first.instance, second.instance],
  })
  database.close()
  expect(rows.map((row) => Number(row.until) >= before)).toEqual([true, true])
})
