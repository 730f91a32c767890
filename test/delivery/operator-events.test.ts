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
  await saveOwn()
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

const saveOwn = (change: object = {}) =>
  device.caller.post('/webhook', { url: `${own.url}?key=secret`, events: 'connection', ...change })

/** As if what waits had failed at all attempts but the last: a save of the same webhook wakes the courier. */
async function letDie(): Promise<void> {
  await until(async () => {
    await world.queryDatabase(`update deliveries set attempts = 11, next_attempt_at = 1
      where status = 'pending' and lane in (select lane from webhooks where instance_id = '${device.id}')`)
    await saveOwn()
    return (await readStatus()).pending === 0
  })
  expect((await readStatus()).dead).toBeGreaterThan(0)
}

const scheduleTold = (at: number) =>
  world.queryDatabase(`update webhook_events set next_attempt_at = ${at}
    where instance_id = '${device.id}' and next_attempt_at is not null`)

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

test('a webhook that a 410 has paused is told of once, until it was resumed and took an event', async () => {
  const pause = async () => {
    own.status = 410
    await replay()
    await until(async () => (await readStatus()).paused === 'gone')
    await runTick()
  }
  await pause()
  await expectHeard('paused')
  await saveOwn()
  await runTick()
  await pause()
  await expectHeard('paused')
  await saveOwn()
  await runTick()
  await recover()
  await runTick()
  await expectHeard('paused', 'recovered')
  await pause()
  await expectHeard('paused', 'recovered', 'paused')
})

test('an event that died after its last attempt is told of, and no other before a recovery', async () => {
  await ageFailure(2 * HOUR)
  await runTick()
  await letDie()
  await runTick()
  await runTick()
  await expectHeard('failing', 'given_up')
  await replay()
  await until(async () => (await readStatus()).pending > 0)
  await runTick()
  await letDie()
  await runTick()
  await ageFailure(2 * HOUR)
  await runTick()
  await expectHeard('failing', 'given_up')
})

test('an event that died is told of without an hour of failures, also if others get through', async () => {
  await letDie()
  own.status = 204
  await device.caller.post('/instance/disconnect')
  await until(async () => (await readStatus()).failingSince === null)
  await runTick()
  await runTick()
  await expectHeard('given_up', 'recovered')
  expect(listHeard()[0]?.envelope.event).toMatchObject({ cause: 'status_500', status: 500 })
})

test('a pause by hand is no part of the hour of failures', async () => {
  await saveOwn({ enabled: false })
  await ageFailure(2 * HOUR)
  const { lastFailure } = await readStatus()
  await saveOwn({ enabled: true })
  await replay()
  await until(async () => (await readStatus()).lastFailure.at !== lastFailure.at)
  await runTick()
  await recover()
  await runTick()
  expect(listStates()).toEqual([])
})

test('the recovery of a webhook is posted after its trouble, also if that is refused at first', async () => {
  operators.status = 503
  await ageFailure(2 * HOUR)
  await runTick()
  await until(() => listStates().length > 0)
  await scheduleTold(Date.now() + HOUR)
  await recover()
  operators.status = 204
  await runTick()
  await runTick()
  expect(listStates()).not.toContain('recovered')
  await scheduleTold(1)
  await runTick()
  await until(() => listStates().includes('recovered'))
  expect(listStates().slice(-2)).toEqual(['failing', 'recovered'])
})

test('with another URL, and without the webhook, what was told of it has an end', async () => {
  await ageFailure(2 * HOUR)
  await runTick()
  own.status = 204
  await saveOwn({ url: `${own.url}/moved` })
  await device.caller.post('/instance/disconnect')
  await until(async () => (await readStatus()).lastDeliveredAt)
  await runTick()
  await runTick()
  await expectHeard('failing', 'ended')
  expect(listHeard()[1]?.envelope.event).toMatchObject({ url: own.url, cause: '', status: 0 })
  const { id } = (await device.caller.post('/v1/webhooks', { url: `${own.url}/second`, events: 'all' })).body
    .webhook
  await world.queryDatabase(`update webhooks set gone = 1, failing_since = 1 where id = '${id}'`)
  await runTick()
  await device.caller.delete(`/v1/webhooks/${id}`)
  await runTick()
  await runTick()
  await expectHeard('failing', 'ended', 'paused', 'ended')
})

test('what inherits, is turned off, or gets another URL by its id, has one end', async () => {
  const end = async (states: string[], change: () => Promise<unknown>) => {
    await ageFailure(2 * HOUR)
    await runTick()
    await change()
    await runTick()
    await runTick()
    await expectHeard(...states)
  }
  await end(['failing', 'ended'], () => device.caller.post('/webhook', { action: 'inherit' }))
  await saveOwn()
  await end(['failing', 'ended', 'failing', 'ended'], () =>
    device.caller.post('/webhook', { action: 'delete' }),
  )
  const more = { url: `${own.url}/second`, events: 'all' }
  const { id } = (await device.caller.post('/v1/webhooks', more)).body.webhook
  const before = listStates().length
  await end([...listStates(), 'failing', 'ended'], () =>
    device.caller.request('PATCH', `/v1/webhooks/${id}`, { url: `${own.url}/third` }),
  )
  expect(listHeard()[before + 1]?.envelope.event).toMatchObject({
    webhookId: id,
    url: `${own.url}/second`,
    state: 'ended',
  })
})

test('of an instance that is deleted nothing more is told', async () => {
  await ageFailure(2 * HOUR)
  await runTick()
  await expectHeard('failing')
  expect((await device.caller.delete('/instance')).status).toBe(200)
  await runTick()
  await runTick()
  expect(listStates()).toEqual(['failing'])
})

test('given_up names why that event died, whatever others have met since', async () => {
  await letDie()
  own.status = 404
  await device.caller.post('/instance/disconnect')
  await until(async () => (await readStatus()).lastFailure.status === 404)
  await runTick()
  await expectHeard('given_up')
  expect(listHeard()[0]?.envelope.event).toMatchObject({ cause: 'status_500', status: 500 })
})

test('while the webhook of the server is paused they wait, and are posted once it goes on', async () => {
  await ageFailure(2 * HOUR)
  await saveServers({ events: ['webhook'], enabled: false })
  await runTick()
  await runTick()
  expect(listStates()).toEqual([])
  await saveServers({ events: ['webhook'] })
  await runTick()
  await expectHeard('failing')
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
  await scheduleTold(1)
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
