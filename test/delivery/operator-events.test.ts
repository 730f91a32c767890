// What the operator hears of the webhooks of instances: at the webhook of the server, and on the overview.

import { HOUR } from '@msgnet/shared/date-time.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createDevice, type Device, SECRET } from '../device.ts'
import { type Receiver, startReceiver, verifyDelivery } from '../receiver.ts'
import { borrowStage, type Seen } from '../scene.ts'
import { until } from '../until.ts'
import type { SharedWorld } from '../world.ts'

let world: SharedWorld
/** Of the operator, and of an instance. */
let operators: Receiver
let own: Receiver
let device: Device

beforeAll(async () => {
  const stage = await borrowStage()
  world = stage.world
  operators = stage.receiver
  own = await startReceiver()
})
afterAll(() => own.close())

/** Each test has an instance of its own, whose webhook fails. */
beforeEach(async () => {
  own.status = 500
  operators.status = 204
  device = await createDevice(world, 'Customer')
  await saveServers({ events: ['webhook'] })
  await device.caller.post('/webhook', { url: `${own.url}?key=secret`, events: 'connection' })
  await causeFailure()
})

const saveServers = (change: object) =>
  world.admin.post('/v1/webhook', { url: operators.url, secret: SECRET, ...change })

async function causeFailure(): Promise<void> {
  await device.caller.post('/instance/connect')
  await until(async () => (await readStatus()).lastFailure)
}

const readStatus = async () => (await device.caller.get('/webhook')).body.deliveryStatus

const runTick = () => fetch(`${world.run.edgeMetricsUrl}/tick`, { method: 'POST' })

const changeWebhook = (change: string) =>
  world.queryDatabase(`update webhooks set ${change} where instance_id = '${device.id}'`)

/** As if every attempt had failed for so long. */
const ageFailure = (ms: number) => changeWebhook(`failing_since = ${Date.now() - ms}`)

const listHeard = () => operators.deliveries.filter(({ envelope }) => envelope.instanceId === device.id)
const listStates = () => listHeard().map(({ envelope }: Seen) => envelope.event.state)

/** The gateway's own tick may be posting one. */
async function expectHeard(...states: string[]): Promise<void> {
  await until(() => listStates().length >= states.length)
  expect(listStates()).toEqual(states)
}

const replay = () => device.caller.post('/v1/events/replay', { fromSeq: 0 })

const recover = async () => {
  own.status = 204
  await replay()
  await until(async () => (await readStatus()).failingSince === null)
}

test('a webhook that fails for an hour is told of once, and when it has recovered', async () => {
  await ageFailure(0.9 * HOUR)
  await runTick()
  expect(listStates()).toEqual([])
  await ageFailure(1.1 * HOUR)
  await runTick()
  await runTick()
  await expectHeard('failing')
  const [heard] = listHeard()
  if (!heard) throw new Error('nothing was delivered')
  verifyDelivery(heard, SECRET)
  expect(heard.headers['webhook-id']).toBe(heard.envelope.eventId)
  expect(heard.envelope).toMatchObject({
    EventType: 'webhook',
    seq: 0,
    instanceName: 'Customer',
    event: { url: own.url, cause: 'status_500', status: 500 },
  })
  await recover()
  await runTick()
  await runTick()
  await expectHeard('failing', 'recovered')
  expect(operators.deliveries.every(({ envelope }) => envelope.EventType === 'webhook')).toBe(true)
})

test('a webhook that a 410 has paused is told of at once, and again after it was resumed and took an event', async () => {
  own.status = 410
  await replay()
  await until(async () => (await readStatus()).paused === 'gone')
  await runTick()
  await expectHeard('paused')
  own.status = 204
  await device.caller.post('/webhook', { url: `${own.url}?key=secret`, events: 'connection' })
  await runTick()
  await replay()
  await until(async () => (await readStatus()).failingSince === null)
  await runTick()
  await expectHeard('paused', 'recovered')
  own.status = 410
  await replay()
  await until(async () => (await readStatus()).paused === 'gone')
  await runTick()
  await expectHeard('paused', 'recovered', 'paused')
})

test('an event that died after its last attempt is told of, after the hour of failures', async () => {
  await ageFailure(2 * HOUR)
  await runTick()
  await world.queryDatabase(`update deliveries set status = 'dead', dead_at = ${Date.now() + 1}, next_attempt_at = null
    where lane in (select lane from webhooks where instance_id = '${device.id}')`)
  await runTick()
  await runTick()
  await expectHeard('failing', 'given_up')
})

test('the overview has the newest of them, also without a webhook of the server', async () => {
  await world.admin.post('/v1/webhook', { action: 'delete' })
  await ageFailure(2 * HOUR)
  await runTick()
  const found = await until(async () => {
    const { webhookEvents } = (await world.admin.get('/v1/overview')).body
    return webhookEvents.find((one: Seen) => one.instance.id === device.id)
  })
  expect(found).toMatchObject({ instance: { name: 'Customer' }, state: 'failing', cause: 'status_500' })
  expect(JSON.stringify(found)).not.toContain('secret')
  await saveServers({ events: ['webhook'] })
  await runTick()
  expect(listStates()).toEqual([])
})

test('one that the receiver of the operator refuses is posted again, with the same bytes', async () => {
  operators.status = 503
  await ageFailure(2 * HOUR)
  await runTick()
  await expectHeard('failing')
  operators.status = 204
  await world.queryDatabase(
    `update webhook_events set next_attempt_at = 1 where instance_id = '${device.id}'`,
  )
  await runTick()
  await runTick()
  await expectHeard('failing', 'failing')
  expect(new Set(listHeard().map(({ body }) => body)).size).toBe(1)
})

test('the failing webhook of the server itself is told to nobody', async () => {
  await device.caller.post('/webhook', { action: 'inherit' })
  await saveServers({ events: 'all' })
  operators.status = 500
  await replay()
  await until(async () => (await readStatus()).failingSince)
  await ageFailure(2 * HOUR)
  await runTick()
  const rows = await world.queryDatabase(`select id from webhook_events where instance_id = '${device.id}'`)
  expect(rows).toEqual([])
})

test('only who asks for these events gets them, and an instance may not', async () => {
  expect((await saveServers({ events: 'all' })).body.events).toContain('webhook')
  expect((await saveServers({ events: 'messages,webhook' })).body.events).toEqual(['messages', 'webhook'])
  expect((await saveServers({ events: 'messages' })).body.events).toEqual(['messages'])
  await ageFailure(2 * HOUR)
  await runTick()
  expect(listStates()).toEqual([])
  const refused = await device.caller.post('/webhook', { url: own.url, events: ['webhook'] })
  expect([refused.status, refused.body.error]).toEqual([400, 'invalid_event'])
})
