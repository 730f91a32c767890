// Messages with `sendAt` over HTTP: every kind of message, the limits, keys, and a gateway whose every process is killed.

import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { limits } from '@msgnet/shared/contract/limits.ts'
import { DAY, MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import { expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { voice } from '../media-files.ts'
import { type Seen, startScene } from '../scene.ts'
import { until } from '../until.ts'

const { world, device, waitForEvent, waitForMessage, readInbox } = await startScene({ SEND_RATE: '0' })
const number = await createPhone(world, 'Anna')

const formatTime = (aheadMs: number) => new Date(Date.now() + aheadMs).toISOString()
const post = (path: string, body: object, headers?: Record<string, string>) =>
  device.caller.request('POST', path, body, headers)
const list = async (query = ''): Promise<Seen> =>
  (await device.caller.request('GET', `/v1/scheduled${query}`)).body
const cancel = (id: string) => device.caller.request('DELETE', `/v1/scheduled/${encodeURIComponent(id)}`)
const waitForOutcome = (id: string) =>
  waitForEvent('messages_update', ({ type, event }) => type === 'SendReceipt' && event.MessageIDs[0] === id)

/** Of several pieces. */
const document = randomBytes(700_000)

const everyKind: [string, object][] = [
  ['/send/text', { number, text: 'at its time', mentions: [number], track_id: 'order-7' }],
  ['/send/location', { number, latitude: 1, longitude: 2 }],
  ['/send/contact', { number, fullName: 'Bruno', phoneNumber: number }],
  ['/send/menu', { number, type: 'poll', text: 'When?', choices: ['Now', 'Later'] }],
  ['/send/media', { number, type: 'ptt', file: voice }],
  ['/send/media', { number, type: 'document', file: document.toString('base64') }],
  ['/send/event', { number, name: 'Opening', startTime: 1_789_678_800_000 }],
]

test('every kind of message can be scheduled, is listed, and is sent once at its time with its outcome as an event', async () => {
  const due = formatTime(8 * SECOND)
  const answers = await Promise.all(everyKind.map(([path, body]) => post(path, { ...body, sendAt: due })))
  for (const { status, body } of answers)
    expect([status, body.status, body.scheduledFor, body.error]).toEqual([200, 'Scheduled', due, ''])
  const ids = answers.map(({ body }) => body.messageid)
  expect((await list()).scheduled.map(({ messageid }: Seen) => messageid).sort()).toEqual([...ids].sort())
  expect((await post('/message/find', { id: ids[0] })).body.messages).toEqual([])
  for (const id of ids) {
    await waitForMessage(number, (message) => message.id === id)
    expect((await waitForOutcome(id)).state).toBe('Sent')
  }
  const [text] = (await post('/message/find', { id: ids[0] })).body.messages
  expect(text).toMatchObject({ scheduledFor: due, track_id: 'order-7', wasSentByApi: true })
  expect((await cancel(ids[0])).status).toBe(409)
  const inbox = await readInbox(number)
  for (const id of ids) expect(inbox.filter((message) => message.id === id)).toHaveLength(1)
  const digest = createHash('sha256').update(document).digest('hex')
  expect(inbox.find(({ id }) => id === ids[5]).mediaSha256).toBe(digest)
  expect(await list()).toEqual({ scheduled: [], total: 0, hasMore: false })
}, 60_000)

test.each(everyKind)(
  '%s refuses other names of the time, such as that of a record: it would be sent at once',
  async (path, body) => {
    for (const name of ['scheduledFor', 'sendat', 'send_at', 'schedule', 'scheduleAt', 'scheduled_for']) {
      const refused = await post(path, { ...body, [name]: formatTime(DAY) })
      expect([refused.status, refused.body.message]).toEqual([400, `${name} is not supported.`])
    }
  },
)

test('a time that is past or too far away is refused by name, and a key returns its first response when the time has passed', async () => {
  for (const sendAt of [formatTime(-MINUTE), formatTime(30 * DAY + MINUTE), 'tomorrow', 7]) {
    const { status, body } = await post('/send/text', { number, text: 'never', sendAt })
    expect([status, body.error]).toEqual([400, 'invalid_body'])
    expect(body.message).toContain('sendAt')
  }
  const refused = await post('/send/media', {
    number,
    type: 'ptt',
    file: Buffer.from('no sound').toString('base64'),
    sendAt: formatTime(DAY),
  })
  expect([refused.status, refused.body.error]).toEqual([415, 'unsupported_media_type'])
  const request = { number, text: 'once for a key', sendAt: formatTime(0) }
  const key = { 'idempotency-key': crypto.randomUUID() }
  const first = await post('/send/text', request, key)
  await waitForOutcome(first.body.messageid)
  const again = await post('/send/text', request, key)
  expect([again.status, again.body]).toEqual([200, first.body])
  const far = await post('/send/text', { ...request, sendAt: formatTime(30 * DAY - MINUTE) })
  expect((await cancel(far.body.id)).body).toEqual({ cancelled: true })
  expect((await cancel(far.body.messageid)).status).toBe(404)
  const other = await world.admin.post('/instance/init', { name: 'Other' })
  const stranger = world.callAs(other.body.instance.token)
  expect((await stranger.get('/v1/scheduled')).body).toEqual({ scheduled: [], total: 0, hasMore: false })
  expect((await readInbox(number)).filter(({ text }) => text === request.text)).toHaveLength(1)
}, 30_000)

test('what is refused when it is due is reported as failed with its reason, found as such, and listed no more', async () => {
  const sendAt = formatTime(0)
  const nobody = await post('/send/text', { number: '5511900000009', text: 'to nobody', sendAt })
  // The address book is empty, so nobody would see it.
  const status = await post('/send/status', { type: 'text', text: 'Open until 8', sendAt })
  expect([nobody.status, status.status]).toEqual([200, 200])
  for (const [{ body }, error] of [
    [nobody, '404'],
    [status, 'operation_refused'],
  ] as const) {
    const outcome = await waitForOutcome(body.messageid)
    expect([outcome.state, outcome.event.error]).toEqual(['Failed', error])
    const [found] = (await post('/message/find', { id: body.messageid })).body.messages
    expect(found).toMatchObject({ status: 'Failed', error, scheduledFor: sendAt })
  }
  expect((await list()).total).toBe(0)
})

test('messages that are scheduled when every process is killed are each sent once, or reported as unknown', {
  tags: ['slow'],
  timeout: 120_000,
}, async () => {
  const texts = Array.from({ length: 60 }, (_, n) => `through kills ${n}`)
  const begin = Date.now() + 2 * SECOND
  const records = await Promise.all(
    texts.map((text, n) =>
      post('/send/text', { number, text, sendAt: new Date(begin + n * 100).toISOString() }),
    ),
  )
  const readTimes = async () => {
    const inbox = await readInbox(number)
    return texts.map((text) => inbox.filter((message) => message.text === text).length)
  }
  for (const count of [5, 25, 45]) {
    await until(async () => (await readTimes()).filter((times) => times > 0).length >= count)
    await world.killAndRestart()
  }
  await until(async () => (await list()).total === 0, { within: 30_000 })
  const outcomes = await Promise.all(records.map(({ body }) => waitForOutcome(body.messageid)))
  const times = await readTimes()
  for (const [n, { state }] of outcomes.entries())
    expect([state, times[n]]).toSatisfy(
      ([how, count]) => how !== 'Failed' && (count === 1 || (how === 'Pending' && count === 0)),
    )
  // A kill leaves at most the one message open that was leaving.
  expect(times.filter((count) => count === 0).length).toBeLessThanOrEqual(3)
})

test('messages that are all due at the moment of a kill of every process are each sent once, or reported as unknown', {
  tags: ['slow'],
  timeout: 60_000,
}, async () => {
  const due = Date.now() + 3 * SECOND
  const sendAt = new Date(due).toISOString()
  const texts = Array.from({ length: 12 }, (_, n) => `due at the kill ${due}: ${n}`)
  const records = await Promise.all(texts.map((text) => post('/send/text', { number, text, sendAt })))
  await until(() => Date.now() >= due)
  await world.killAndRestart()
  await until(async () => (await list()).total === 0, { within: 30_000 })
  const outcomes = await Promise.all(records.map(({ body }) => waitForOutcome(body.messageid)))
  const inbox = await readInbox(number)
  const times = texts.map((text) => inbox.filter((message) => message.text === text).length)
  for (const [n, { state }] of outcomes.entries())
    expect([state, times[n]]).toSatisfy(
      ([how, count]) => how !== 'Failed' && (count === 1 || (how === 'Pending' && count === 0)),
    )
  expect(times.filter((count) => count === 0).length).toBeLessThanOrEqual(1)
})

test('an instance has no more than its number of scheduled messages, and a deletion of it deletes them', async () => {
  const { body } = await post('/send/text', { number, text: 'one of many', sendAt: formatTime(10 * DAY) })
  const store = createClient({ url: `file:${join(world.dataDir, 'host', 'host.db')}`, timeout: 5000 })
  const names = 'due_at, action, input, record'
  await store.execute({
    sql: `WITH RECURSIVE numbers(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
      INSERT INTO scheduled (instance, messageid, ${names})
      SELECT instance, messageid || numbers.n, ${names} FROM scheduled, numbers WHERE messageid = ?`,
    args: [limits.maxScheduled, body.messageid],
  })
  const more = { number, text: 'one too many', sendAt: formatTime(DAY) }
  const refused = await post('/send/text', more)
  expect([refused.status, refused.body.error, refused.body.error_key]).toEqual([
    429,
    'rate_limited',
    'too_many_scheduled',
  ])
  const page = await list('?limit=2')
  expect([page.scheduled.length, page.total, page.hasMore]).toEqual([2, limits.maxScheduled, true])
  expect((await cancel(body.messageid)).status).toBe(200)
  expect((await post('/send/text', more)).status).toBe(200)
  expect((await device.caller.request('DELETE', '/instance')).status).toBe(200)
  for (const table of ['scheduled', 'scheduled_files'])
    expect((await store.execute(`SELECT count(*) AS rows FROM ${table}`)).rows[0]?.rows).toBe(0)
  store.close()
}, 30_000)
