// Messages that are sent at a time, inside a host whose clock the test moves: once, in order, by the same account, never a day late.
// @module-tag slow

import { join } from 'node:path'
import { createClient } from '@libsql/client'
import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { DAY, HOUR, MINUTE } from '@msgnet/shared/date-time.ts'
import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { createTextInput, KIND, startWorld } from './world.ts'

let failedAttempts = 0
const log = pino({ level: 'error' }, { write: countFailedAttempt })
const world = await startWorld({ sendRate: { burst: 3, everyMs: HOUR } }, log)
const { edge, clock } = world
const FRIEND = await world.createPhone('5511680000001')
afterAll(() => world.close())

function countFailedAttempt(line: string): void {
  if (JSON.parse(line).msg === 'action failed') failedAttempts++
}

const now = () => Date.now() + clock.now() - performance.now()

const openStore = () => createClient({ url: `file:${join(world.dataDir, 'host', 'host.db')}`, timeout: 5000 })

async function schedule(instance: string, text: string, aheadMs: number, delay = 0) {
  const { messageid, ...texts } = createTextInput(`${FRIEND}@s.msgnet.net`, text)
  const input = { ...texts, ...(delay > 0 && { delay }) }
  const sendAt = new Date(now() + aheadMs).toISOString()
  const request = { action: 'message.sendText', input, parcel: '', messageid, sendAt } as const
  const outcome = await edge.performAction(instance, 'message.schedule', request)
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome))
  return outcome.result
}

async function list(instance: string, page: { limit?: number; afterId?: string } = {}) {
  const outcome = await edge.performAction(instance, 'message.listScheduled', { limit: 50, ...page })
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome))
  return outcome.result
}

const cancel = (instance: string, { id }: MessageRecord) =>
  edge.performAction(instance, 'message.cancelScheduled', { id: id.slice(id.indexOf(':') + 1) })

async function readTexts(): Promise<string[]> {
  const { messages } = await world.sim<{ messages: { text: string }[] }>('GET', `/phones/${FRIEND}/inbox`)
  return messages.map(({ text }) => text)
}

/** What was reported of the message, as `Sent`, or `Failed` with its error. */
const listReports = (instance: string, { messageid }: MessageRecord): string[] =>
  edge
    .listEvents(instance, 'messages_update')
    .map(({ payload }) => payload as { state: string; event: { MessageIDs: string[]; error?: string } })
    .filter(({ state, event }) => state !== 'Delivered' && event.MessageIDs[0] === messageid)
    .map(({ state, event }) => [state, event.error].filter(Boolean).join(' '))

const waitForReport = (instance: string, record: MessageRecord) =>
  until(() => listReports(instance, record).at(0))

test('a message waits in the order of the times, survives restarts, and is sent once when it is due', async () => {
  const instance = await world.linkPhone('5511680000002')
  const [later, sooner, other] = [
    await schedule(instance, 'later', 3 * HOUR),
    await schedule(instance, 'sooner', HOUR),
    await schedule(instance, 'other', 2 * HOUR),
  ]
  expect(sooner).toMatchObject({ status: 'Scheduled', text: 'sooner', wasSentByApi: true })
  expect(Math.abs(Date.parse(sooner.scheduledFor ?? '') - now() - HOUR)).toBeLessThan(MINUTE)
  expect(await list(instance)).toEqual({ scheduled: [sooner, other, later], total: 3, hasMore: false })
  expect(await list(instance, { limit: 1, afterId: sooner.messageid })).toEqual({
    scheduled: [other],
    total: 3,
    hasMore: true,
  })
  // What is left of a message whose host was killed while its file arrived.
  const store = openStore()
  await store.execute({ sql: "INSERT INTO scheduled_files VALUES (?, 'orphan', 0, x'00')", args: [instance] })
  await world.restartHost()
  expect((await store.execute('SELECT * FROM scheduled_files')).rows).toEqual([])
  store.close()
  expect(await cancel(instance, other)).toEqual({ kind: 'done', result: { cancelled: true } })
  expect(await cancel(instance, other)).toMatchObject({ kind: 'refused', fault: 'message_not_found' })

  clock.standStill(HOUR)
  expect(await waitForReport(instance, sooner)).toBe('Sent')
  expect(await readTexts()).toEqual(['sooner'])
  expect(await cancel(instance, sooner)).toMatchObject({ kind: 'refused', fault: 'session_conflict' })
  // The place of a message that was sent is known.
  expect((await list(instance, { afterId: sooner.messageid })).scheduled).toEqual([later])

  await world.host.stop()
  clock.standStill(3 * HOUR)
  await world.restartHost()
  expect(await waitForReport(instance, later)).toBe('Sent')
  await world.restartHost()
  expect(await list(instance)).toEqual({ scheduled: [], total: 0, hasMore: false })
  expect([listReports(instance, sooner), listReports(instance, later)]).toEqual([['Sent'], ['Sent']])
  expect(await readTexts()).toEqual(['sooner', 'later'])
  const found = await edge.performAction(instance, 'message.find', {
    limit: 1,
    offset: 0,
    id: later.messageid,
  })
  expect(found).toMatchObject({
    result: { messages: [{ text: 'later', scheduledFor: later.scheduledFor }] },
  })
})

test('a message that is more than a day late, or whose account has changed, is reported as failed and not sent', async () => {
  const instance = await world.linkPhone('5511680000003')
  const missed = await schedule(instance, 'missed', HOUR)
  const waiting = await schedule(instance, 'of the first account', 3 * DAY)
  await world.host.stop()
  clock.standStill(DAY + 2 * HOUR)
  await world.restartHost()
  expect(await waitForReport(instance, missed)).toBe('Failed missed')
  await world.waitUntilLoggedIn(instance)
  expect((await edge.performAction(instance, 'session.disconnect', {})).kind).toBe('done')
  expect((await list(instance)).scheduled).toEqual([waiting])

  const number = await world.createPhone('5511680000004')
  const outcome = await edge.performAction(instance, 'session.connect', KIND)
  const pairing = outcome.kind === 'done' ? outcome.result.pairing : undefined
  if (pairing?.method !== 'qr') throw new Error(`no QR but ${JSON.stringify(outcome)}`)
  await world.sim('POST', `/phones/${number}/scan`, { qr: pairing.qr })
  await world.waitUntilLoggedIn(instance)
  clock.standStill(2 * DAY)
  expect(await waitForReport(instance, waiting)).toBe('Failed other_account')
  expect(await readTexts()).not.toContain('of the first account')
  expect(await readTexts()).not.toContain('missed')
})

test('messages that are due together leave in order, as fast as an instance may send', async () => {
  const instance = await world.linkPhone('5511680000005')
  const texts = ['one', 'two', 'three', 'four', 'five']
  const records: MessageRecord[] = []
  for (const text of texts) records.push(await schedule(instance, text, HOUR))
  clock.standStill(HOUR)
  const listSent = async () => (await readTexts()).filter((text) => texts.includes(text))
  await until(async () => (await listSent()).length === 3)
  expect((await list(instance)).scheduled.map(({ text }) => text)).toEqual(['four', 'five'])
  clock.standStill(HOUR)
  await until(async () => (await listSent()).length === 4)
  clock.standStill(HOUR)
  await until(async () => (await listSent()).length === 5)
  expect(await listSent()).toEqual(texts)
  for (const record of records) expect(await waitForReport(instance, record)).toBe('Sent')
})

test('a message that is due waits for what callers send, but no longer than a minute', async () => {
  const [busy, idle] = [await world.linkPhone('5511680000007'), await world.linkPhone('5511680000008')]
  const records = [await schedule(busy, 'after the callers', MINUTE), await schedule(idle, 'at once', MINUTE)]
  for (const text of ['caller 1', 'caller 2', 'caller 3']) {
    const input = createTextInput(`${FRIEND}@s.msgnet.net`, text)
    expect((await edge.performAction(busy, 'message.sendText', input)).kind).toBe('done')
  }
  clock.standStill(MINUTE)
  const [waiting, sent] = records as [MessageRecord, MessageRecord]
  expect(await waitForReport(idle, sent)).toBe('Sent')
  expect((await list(busy)).scheduled).toEqual([waiting])
  clock.standStill(MINUTE)
  expect(await waitForReport(busy, waiting)).toBe('Sent')
})

test('a message that the store does not let go is tried again after a pause, and is sent once', async () => {
  const instance = await world.linkPhone('5511680000006')
  const record = await schedule(instance, 'stuck', HOUR)
  const store = openStore()
  await store.execute(
    "CREATE TRIGGER stuck BEFORE DELETE ON scheduled BEGIN SELECT RAISE(ABORT, 'stuck'); END",
  )
  const dueAt = now() + HOUR
  clock.standStill(HOUR)
  await until(() => failedAttempts > 0)
  await until(() => now() > dueAt + 1000)
  expect(failedAttempts).toBe(1)
  await store.execute('DROP TRIGGER stuck')
  store.close()
  clock.standStill(HOUR)
  expect(await waitForReport(instance, record)).toBe('Sent')
  expect((await readTexts()).filter((text) => text === 'stuck')).toEqual(['stuck'])
})

test('messages that show typing for a minute before they leave do not hold up those of other instances', {
  timeout: 240_000,
}, async () => {
  for (let n = 10; n < 27; n++)
    await schedule(await world.linkPhone(`55116800010${n}`), 'typing', HOUR, MINUTE)
  const neighbour = await world.linkPhone('5511680002000')
  const record = await schedule(neighbour, 'beside them', HOUR + MINUTE)
  clock.standStill(HOUR + 2 * MINUTE)
  expect(await waitForReport(neighbour, record)).toBe('Sent')
})
