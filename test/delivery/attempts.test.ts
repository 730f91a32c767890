// The history of one event: every attempt with its status, duration and refusal, the posted envelope, and pages through all events.

import { DAY } from '@msgnet/shared/date-time.ts'
import { beforeAll, expect, test } from 'vitest'
import { type ApiResponse, type Caller, createCaller } from '../caller.ts'
import { createDevice, createPhone } from '../device.ts'
import { borrowScene, type Scene, type Seen } from '../scene.ts'
import { fromAttempts, fromDelivery, insertDeliveries } from '../stored-deliveries.ts'
import { until } from '../until.ts'

let scene: Scene
let caller: Caller
let friend: string
/** Refused twice, then delivered. */
let event: Seen

beforeAll(async () => {
  scene = await borrowScene()
  caller = scene.device.caller
  friend = await createPhone(scene.world, 'Ana')
})

const findEvents = async (query: string): Promise<Seen[]> =>
  (await caller.get(`/v1/events?${query}`)).body.events
const readEvent = async (id: string, query = ''): Promise<Seen> =>
  (await caller.get(`/v1/events/${id}${query}`)).body
const readHealth = async (): Promise<Seen> => (await caller.get('/webhook')).body.deliveryStatus
const replay = async (request: object) => (await caller.post('/v1/events/replay', request)).body

async function receiveMessage(text: string): Promise<string> {
  const sent = await scene.world.sim('POST', '/messages', { from: friend, to: scene.device.number, text })
  return String(sent.id)
}

const waitForEventAbout = (messageid: string): Promise<Seen> =>
  until(async () => (await findEvents(`messageid=${messageid}&type=messages`))[0])

/** Waits for so many attempts of it. */
const waitForAttempts = (id: string, attempts: number): Promise<Seen> =>
  until(async () => {
    const detail = await readEvent(id)
    return detail.attempts.length >= attempts && detail
  })

async function createToken(scope: string): Promise<Caller> {
  const { token } = (await scene.world.admin.post('/v1/tokens', { name: scope, scope })).body
  return createCaller(scene.world.run.baseUrl, { admintoken: token })
}

function expectError({ status, body, text }: ApiResponse, expected: number, error: string): void {
  expect([status, body.error], text).toEqual([expected, error])
}

test('health says since when delivery fails and why, through different failures', async () => {
  expect(await readHealth()).toMatchObject({ failingSince: null, cause: '', waitingSince: null })
  scene.receiver.status = 507
  scene.receiver.words = 'no room'
  event = await waitForEventAbout(await receiveMessage('refused'))
  const first = await until(async () => (await readHealth()).failingSince && readHealth())
  expect(first).toMatchObject({ pending: 1, cause: 'status_507', paused: '' })
  expect(first.failingSince).toBe(first.lastFailure.at)
  await replay({ ids: [event.id] })
  await waitForAttempts(event.id, 2)
  const second = await until(async () => {
    const health = await readHealth()
    return health.lastFailure.at !== first.lastFailure.at && health
  })
  expect(second.failingSince).toBe(first.failingSince)
})

test('an event that waits is delivered at once when it is replayed, and its history has each attempt', async () => {
  scene.receiver.status = 200
  scene.receiver.words = ''
  expect(await readEvent(event.id)).toMatchObject({ nextAttemptAt: expect.any(String) })
  expect(await replay({ ids: [event.id] })).toEqual({ matched: 1, queued: 1 })
  const detail = await waitForAttempts(event.id, 3)
  expect(detail).toMatchObject({ nextAttemptAt: null, unaddressed: false, event: { status: 'delivered' } })
  expect(detail.attempts).toMatchObject([
    { number: 1, status: 507, error: 'status_507', response: 'no room' },
    { number: 2, status: 507, error: 'status_507', response: 'no room' },
    { number: 3, status: 200, error: '', response: '' },
  ])
  for (const { at, ms } of detail.attempts) {
    expect(Date.parse(at)).toBeLessThanOrEqual(Date.now())
    expect(ms).toBeGreaterThanOrEqual(0)
    expect(ms).toBeLessThan(15_000)
  }
  // The receiver has an event before the edge has stored that it has it.
  await until(async () => (await readHealth()).pending === 0)
  expect(await readHealth()).toMatchObject({ failingSince: null, cause: '', waitingSince: null })
})

test('the envelope is the body that was posted', async () => {
  const posted = scene.receiver.deliveries.find(({ envelope }) => envelope.eventId === event.id)
  const { envelope } = await readEvent(event.id)
  expect(JSON.stringify(envelope)).toBe(posted?.body)
})

test('a first attempt that succeeds stores no row of its own', async () => {
  const { id } = await waitForEventAbout(await receiveMessage('taken at once'))
  const { attempts } = await waitForAttempts(id, 1)
  expect(attempts).toMatchObject([{ number: 1, status: 200, error: '' }])
  expect(await scene.world.queryDatabase(`select 1 ${fromAttempts(id)}`)).toEqual([])
})

test('responses of earlier attempts are sealed, and deleted after seven days', async () => {
  const { world } = scene
  const readRows = () =>
    world.queryDatabase(`select number, instr(response, cast('no room' as blob)) as place, response is not null as there
      ${fromAttempts(event.id)} order by number`)
  expect(await readRows()).toMatchObject([
    { number: 1, place: 0, there: 1 },
    { number: 2, place: 0, there: 1 },
  ])
  await world.queryDatabase(
    `update delivery_attempts set at = ${Date.now() - 7.1 * DAY} where number = 1
      and (lane, seq) in (select d.lane, d.seq ${fromDelivery(event.id)})`,
  )
  await fetch(`${world.run.edgeMetricsUrl}/tick`, { method: 'POST' })
  await until(async () => (await readRows())[0]?.there === 0)
  expect((await readEvent(event.id)).attempts.map(({ response }: Seen) => response)).toEqual([
    '',
    'no room',
    ...(await readEvent(event.id)).attempts.slice(2).map(() => ''),
  ])
})

test('an admin token reads an event; payload, envelope and responses only from scope operate up, and then it is in the audit log', async () => {
  const [reads, operates] = [await createToken('read'), await createToken('operate')]
  const countEntries = async () =>
    (await scene.world.admin.get('/v1/audit?action=events.read')).body.entries.length
  const before = await countEntries()
  const hidden = (await reads.get(`/v1/events/${event.id}`)).body
  expect(hidden).toMatchObject({ event: { payload: {} }, envelope: {} })
  expect(hidden.attempts.map(({ status, response }: Seen) => [status, response]).slice(0, 2)).toEqual([
    [507, ''],
    [507, ''],
  ])
  const light = (await operates.get(`/v1/events/${event.id}?payload=false`)).body
  expect(light).toMatchObject({ event: { payload: {} }, envelope: {} })
  await operates.get(`/v1/events?instance=${scene.device.id}&payload=false`)
  expect(await countEntries()).toBe(before)
  const whole = (await operates.get(`/v1/events/${event.id.toUpperCase()}`)).body
  expect(whole).toMatchObject({ envelope: { message: { text: 'refused' } } })
  expect(whole.attempts[1].response).toBe('no room')
  expect(await countEntries()).toBe(before + 1)
})

test('an event that is not there, or of another instance, is 404; what is no id is 400', async () => {
  const other = await createDevice(scene.world)
  expectError(await other.caller.get(`/v1/events/${event.id}`), 404, 'not_found')
  expectError(await caller.get(`/v1/events/${crypto.randomUUID()}`), 404, 'not_found')
  expectError(await caller.get('/v1/events/7'), 400, 'invalid_id')
  expectError(await caller.get(`/v1/events/${event.id}?payload=no`), 400, 'invalid_query')
})

test('pages by beforeSeq, newest first, have every event once, with any filter', async () => {
  const { id } = scene.device
  const payload = JSON.stringify({ type: 'Group', event: { JID: '1@g.us' } })
  // Of the last hour: older ones are deleted meanwhile.
  const start = Date.now() - 3_600_000
  await scene.world.queryDatabase(`
    insert into events (id, instance_id, seq, type, owner, payload, at, created_at, status, wanted)
    with recursive made(n) as (select 1000 union all select n + 1 from made where n < 1499)
    select lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-' || hex(randomblob(2)) || '-' || hex(randomblob(2)) || '-' || hex(randomblob(6))),
      '${id}', n, iif(n % 2, 'groups', 'call'), '', '${payload}', ${start} + n, ${start} + n, 'delivered', n % 5 > 0 from made`)
  const made = `e.instance_id = '${id}' and e.seq between 1000 and 1499 and e.wanted`
  await scene.world.queryDatabase(insertDeliveries(made, { status: "'delivered'", last_attempt_at: 'e.at' }))
  const readAll = async (filter: string): Promise<number[]> => {
    const seqs: number[] = []
    for (let before = ''; ; ) {
      const page = await findEvents(`limit=90&payload=false${filter}${before}`)
      if (page.length === 0) return seqs
      seqs.push(...page.map(({ seq }) => seq))
      before = `&beforeSeq=${seqs.at(-1)}`
    }
  }
  const all = await readAll('')
  expect(all).toEqual([...new Set(all)].sort((a, b) => b - a))
  expect(all.length).toBeGreaterThan(500)
  const seqs = Array.from({ length: 500 }, (_, n) => 1499 - n)
  expect(await readAll('&type=groups')).toEqual(seqs.filter((seq) => seq % 2 === 1))
  const calls = seqs.filter((seq) => seq % 2 === 0)
  expect(await readAll('&type=call&unaddressed=true')).toEqual(calls.filter((seq) => seq % 5 === 0))
  expect(await readAll('&type=call&status=delivered&unaddressed=false')).toEqual(
    calls.filter((seq) => seq % 5 !== 0),
  )
  const times = `&from=${new Date(start + 1100).toISOString()}&to=${new Date(start + 1200).toISOString()}`
  expect(await readAll(times)).toEqual(seqs.filter((seq) => seq >= 1100 && seq < 1200))
  const between = (await findEvents('afterSeq=1100&beforeSeq=1104')).map(({ seq }) => seq)
  expect(between).toEqual([1101, 1102, 1103])
  await scene.world.queryDatabase('delete from events where seq between 1000 and 1499')
})

test('an event that no webhook was to receive says so', async () => {
  await caller.post('/webhook', { url: scene.receiver.url, events: ['connection'] })
  const { id, status, attempts, unaddressed } = await waitForEventAbout(await receiveMessage('to nobody'))
  expect({ status, attempts, unaddressed }).toEqual({ status: 'delivered', attempts: 0, unaddressed: true })
  expect(await readEvent(id)).toMatchObject({ unaddressed: true, attempts: [], envelope: { eventId: id } })
  expect((await findEvents('unaddressed=true')).map((found) => found.id)).toContain(id)
  await caller.post('/webhook', { url: scene.receiver.url, events: 'all' })
})

test('after a 410 a replay queues, nothing goes out until the same webhook is saved, and health names the 410', async () => {
  const { receiver } = scene
  receiver.status = 410
  const { id } = await waitForEventAbout(await receiveMessage('gone'))
  await until(async () => (await readHealth()).paused === 'gone')
  receiver.status = 200
  const later = await waitForEventAbout(await receiveMessage('waits'))
  const health = await readHealth()
  expect(health).toMatchObject({ paused: 'gone', cause: 'status_410', pending: 1, dead: 1 })
  expect(health.lastFailure).toMatchObject({ status: 410, eventId: id })
  expect(await replay({ ids: [later.id] })).toEqual({ matched: 1, queued: 1 })
  expect(await replay({ status: 'dead' })).toEqual({ matched: 1, queued: 1 })
  const waiting = await until(async () => {
    const present = await readHealth()
    return present.pending === 2 && present
  })
  expect(waiting).toMatchObject({ dead: 0, waitingSince: expect.any(String) })
  expect((await readEvent(later.id)).attempts).toEqual([])
  await caller.post('/webhook', { url: receiver.url, events: 'all' })
  await until(async () => (await readHealth()).pending === 0)
  expect(await readHealth()).toMatchObject({ paused: '', cause: '', failingSince: null, dead: 0 })
  expect((await readEvent(id)).attempts).toMatchObject([{ status: 410 }, { status: 200 }])
})

test('a receiver that does not respond is seen while it does not', async () => {
  const hung = Promise.withResolvers<void>()
  scene.receiver.holdNext(hung.promise)
  const startedAt = Date.now()
  await receiveMessage('no answer')
  const { waitingSince } = await until(async () => {
    const health = await readHealth()
    return health.waitingSince && health
  })
  expect(Date.parse(waitingSince)).toBeGreaterThanOrEqual(startedAt - 1000)
  hung.resolve()
  await until(async () => (await readHealth()).pending === 0)
  expect((await readHealth()).waitingSince).toBe(null)
})

test('of many attempts the last fifty-one are stored, and they go with the event', async () => {
  await scene.world.queryDatabase(`
    insert into delivery_attempts (lane, seq, number, at, duration, status)
    with recursive made(n) as (select 3 union all select n + 1 from made where n < 60)
    select delivery.lane, delivery.seq, n, n, 1, 500 from made
    join (select d.lane, d.seq ${fromDelivery(event.id)}) delivery`)
  await replay({ ids: [event.id] })
  const detail = await until(async () => {
    const found = await readEvent(event.id)
    return found.attempts.at(-1).number === 62 && found
  })
  expect(detail.attempts.map(({ number }: Seen) => number)).toEqual(
    Array.from({ length: 51 }, (_, n) => n + 12),
  )
  await scene.world.queryDatabase(
    `update events set created_at = ${Date.now() - 31 * DAY} where id = '${event.id}'`,
  )
  await fetch(`${scene.world.run.edgeMetricsUrl}/tick`, { method: 'POST' })
  const countRows = async () =>
    (
      await scene.world.queryDatabase(`select 1 from delivery_attempts a
        where not exists (select 1 from webhooks w join events e on e.instance_id = w.instance_id
          where w.lane = a.lane and e.seq = a.seq)`)
    ).length
  await until(async () => (await countRows()) === 0)
})
