// Why was this message not delivered? Asked by its id, of the API and of the logs, by the instance and by an operator.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DAY } from '@msgnet/shared/date-time.ts'
import { beforeAll, expect, test } from 'vitest'
import { type ApiResponse, type Caller, createCaller } from '../caller.ts'
import { createDevice, createPhone } from '../device.ts'
import { borrowScene, type Scene, type Seen } from '../scene.ts'
import { fromDelivery, updateDelivery } from '../stored-deliveries.ts'
import { until } from '../until.ts'

/** In words that nothing else in a borrowed gateway's logs says: broken UTF-8, a line break, a colour and a character that turns the text around: what a log viewer must not be shown. */
const WORDS = Buffer.concat([
  Buffer.from('four chairs short\r\n\u001b[31m for \u202eyou: '),
  Buffer.from([0xff]),
  Buffer.from('é'.repeat(1000)),
])
const SHOWN = /^four chairs short \[31m for you: \uFFFDé+$/

let scene: Scene
let friend: string
let reads: Caller
let operates: Caller
/** Of the message that the receiver has refused. */
let messageid: string

async function createToken(scope: string): Promise<Caller> {
  const { token } = (await scene.world.admin.post('/v1/tokens', { name: scope, scope })).body
  return createCaller(scene.world.run.baseUrl, { admintoken: token })
}

beforeAll(async () => {
  scene = await borrowScene()
  friend = await createPhone(scene.world, 'Ana')
  reads = await createToken('read')
  operates = await createToken('operate')
  scene.receiver.status = 507
  scene.receiver.words = WORDS
  const { number } = scene.device
  const sent = await scene.world.sim('POST', '/messages', { from: friend, to: number, text: 'refused' })
  messageid = String(sent.id)
  await until(async () => (await findEvents(scene.device.caller))[0]?.lastStatus === 507)
})

const findEvents = async (caller: Caller, query = ''): Promise<Seen[]> =>
  (await caller.get(`/v1/events?messageid=${messageid}${query}`)).body.events

function expectError(response: ApiResponse, status: number, error: string): void {
  expect([response.status, response.body.error], response.text).toEqual([status, error])
}

test('the instance finds the event by the id of its message, with and without the owner before it', async () => {
  const { caller, id, number } = scene.device
  const [event, ...others] = await findEvents(caller)
  expect(others).toEqual([])
  expect(event).toMatchObject({ type: 'messages', instanceId: id, messageid, lastError: 'status_507' })
  expect(event.payload.message.text).toBe('refused')
  expect((await caller.get(`/v1/events?messageid=${number}:${messageid}`)).body.events).toHaveLength(1)
  expect((await caller.get('/v1/events?messageid=nobody-has-it')).body.events).toEqual([])
})

test('the receiver\u2019s response is shown as one plain line of at most 1 KiB, and is stored sealed', async () => {
  const { caller } = scene.device
  const [event] = await findEvents(caller)
  expect(event.lastResponse).toMatch(SHOWN)
  expect(Buffer.byteLength(event.lastResponse)).toBeLessThanOrEqual(1024)
  const { errors } = (await caller.get('/webhook/errors')).body
  expect(errors.find(({ eventId }: Seen) => eventId === event.id).lastResponse).toBe(event.lastResponse)
  const [row] = await scene.world.queryDatabase(
    `select length(d.last_response) as bytes, instr(d.last_response, cast('four chairs short' as blob)) as place
      ${fromDelivery(event.id)}`,
  )
  expect(row?.bytes).toBeGreaterThan(100)
  expect(row?.place).toBe(0)
})

test('an admin token finds the event in one instance or in all; payload and response are shown from scope operate up', async () => {
  const { id } = scene.device
  for (const query of ['', `&instance=${id}`, `&instance=${id.toUpperCase()}`]) {
    const [hidden] = await findEvents(reads, query)
    expect(hidden).toMatchObject({ instanceId: id, messageid, payload: {}, lastStatus: 507 })
    expect(hidden).not.toHaveProperty('lastResponse')
    const [whole] = await findEvents(operates, query)
    expect(whole.payload.message.text).toBe('refused')
    expect(whole.lastResponse).toMatch(SHOWN)
  }
  const other = await createDevice(scene.world)
  expect(await findEvents(operates, `&instance=${other.id}`)).toEqual([])
  expectError(await other.caller.get(`/v1/events?instance=${id}`), 400, 'invalid_query')
  expectError(await reads.get('/v1/events'), 401, 'unauthorized')
  expectError(await reads.get(`/v1/events?messageid=${messageid}&afterSeq=1`), 400, 'invalid_query')
  expectError(await reads.get(`/v1/events?instance=${crypto.randomUUID()}`), 404, 'instance_not_found')
})

test('an admin token that reads payloads is in the audit log', async () => {
  const listReadEntries = async () =>
    (await scene.world.admin.get('/v1/audit?action=events.read')).body.entries
  const before = (await listReadEntries()).length
  await findEvents(reads)
  await findEvents(scene.device.caller)
  expect(await listReadEntries()).toHaveLength(before)
  await operates.get(`/v1/events?instance=${scene.device.id}&limit=1`)
  const [entry, ...earlier] = await listReadEntries()
  expect(earlier).toHaveLength(before)
  expect(entry).toMatchObject({
    actor: 'token',
    actorName: 'operate',
    target: scene.device.id,
    outcome: 'done',
  })
})

test.each([
  ['type=message', 'type'],
  ['from=yesterday', 'from'],
  ['to=2026-09-17', 'to'],
  ['instance=7', 'instance'],
  ['message=x', 'messageid'],
  ['limit=5&offset=5', 'messageid'],
])('GET /v1/events?%s is a 400 that names %s', async (query, name) => {
  const response = await scene.device.caller.get(`/v1/events?${query}`)
  expectError(response, 400, 'invalid_query')
  expect(response.body.message).toContain(name)
})

test('type, status and time are combined', async () => {
  const { caller } = scene.device
  const [event] = await findEvents(caller)
  const at = Date.parse(event.createdAt)
  const createTimeRange = (from: number, to: number) =>
    `&from=${new Date(at + from).toISOString()}&to=${new Date(at + to).toISOString()}`
  expect(await findEvents(caller, `&type=messages&status=pending${createTimeRange(0, 1)}`)).toHaveLength(1)
  expect(await findEvents(caller, '&type=messages_update')).toEqual([])
  expect(await findEvents(caller, '&status=dead')).toEqual([])
  expect(await findEvents(caller, createTimeRange(1, 1000))).toEqual([])
  expect(await findEvents(caller, createTimeRange(-1000, 0))).toEqual([])
  const page = (await caller.get('/v1/events?type=connection')).body.events
  expect(page.length).toBeGreaterThan(0)
  expect(new Set(page.map(({ type }: Seen) => type))).toEqual(new Set(['connection']))
})

test('a receipt for several messages is found by each of them', async () => {
  const { caller, id } = scene.device
  const ids = [messageid, 'another-one']
  const payload = JSON.stringify({ type: 'ReadReceipt', state: 'Read', event: { MessageIDs: ids } })
  await scene.world.queryDatabase(`insert into events (id, instance_id, seq, type, owner, payload, at, created_at, status, wanted, messageid)
    values ('${crypto.randomUUID()}', '${id}', 5000, 'messages_update', '', '${payload}', 1, ${Date.now()}, 'delivered', 0, '')`)
  for (const [title, query] of [
    [caller, ''],
    [reads, ''],
    [reads, `&instance=${id}`],
  ] as const)
    expect((await findEvents(title, `${query}&type=messages_update`)).map(({ seq }) => seq)).toEqual([5000])
  await scene.world.queryDatabase('delete from events where seq = 5000')
})

test('the event\u2019s id is in the log lines of the host, of the edge and of each attempt, and the receiver\u2019s response in none', async () => {
  const [event] = await findEvents(scene.device.caller)
  const readLog = (part: string) => readFileSync(join(scene.world.dataDir, 'logs', `${part}.log`), 'utf8')
  const findLogLine = (part: string, expected: object) =>
    until(() =>
      readLog(part)
        .split('\n')
        .filter((line) => line.includes(messageid))
        .map((line) => JSON.parse(line))
        .some((line) => Object.entries(expected).every(([name, value]) => line[name] === value)),
    )
  await findLogLine('host', { msg: 'event', event: event.id, type: 'messages', messageid })
  await findLogLine('edge', { msg: 'event', event: event.id, type: 'messages', messageid, due: true })
  await findLogLine('edge', {
    msg: 'delivery attempted',
    event: event.id,
    messageid,
    status: 507,
    code: 'status_507',
  })
  for (const part of ['host', 'edge']) expect(readLog(part)).not.toContain('four chairs short')
})

test('the receiver\u2019s response is deleted after seven days, and when the event is delivered', async () => {
  const { world, device } = scene
  const [{ id }] = await findEvents(device.caller)
  const ageEvent = (days: number) =>
    world.queryDatabase(updateDelivery(id, `last_attempt_at = ${Date.now() - days * DAY}`))
  const runTick = () => fetch(`${world.run.edgeMetricsUrl}/tick`, { method: 'POST' })
  const isResponseStored = async () =>
    (await world.queryDatabase(`select 1 ${fromDelivery(id)} and d.last_response is not null`)).length
  // Its next attempt must not come in between.
  await world.queryDatabase(updateDelivery(id, `next_attempt_at = ${Date.now() + DAY}`))
  await ageEvent(6.9)
  await runTick()
  expect(await isResponseStored()).toBe(1)
  await ageEvent(7.1)
  await runTick()
  await until(async () => (await isResponseStored()) === 0)
  expect((await findEvents(device.caller))[0]).toMatchObject({ id, lastStatus: 507 })

  await device.caller.post('/v1/events/replay', { ids: [id] })
  await until(async () => (await isResponseStored()) === 1)
  scene.receiver.status = 204
  await device.caller.post('/v1/events/replay', { ids: [id] })
  await until(async () => (await findEvents(device.caller))[0]?.status === 'delivered')
  expect(await isResponseStored()).toBe(0)
})
