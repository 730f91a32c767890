// The overview of operators: each state of a webhook by a real receiver, events by hour and outcome, and session hosts.
// @module-tag slow

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Bad, startBadReceiver } from '../delivery/bad-receiver.ts'
import { createDevice, type Device } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { type DeliveryValues, insertDeliveries } from '../stored-deliveries.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

let world: World
let healthy: Receiver
let broken: Receiver
let gone: Bad
let hanging: Bad
const devices: Record<string, Device> = {}

const save = (device: Device | undefined, url: string, change: object = {}) =>
  device?.caller.post('/webhook', { url, events: 'all', ...change })

/** An event without a linked device: what the connection says of itself. */
const causeEvent = (name: string) => devices[name]?.caller.post('/instance/connect')

beforeAll(async () => {
  healthy = await startReceiver()
  broken = await startReceiver()
  broken.status = 500
  gone = await startBadReceiver('gone', '')
  hanging = await startBadReceiver('hang', '')
  const places = [healthy, broken, gone, hanging].map(({ place }) => place).join()
  world = await startWorld({ WEBHOOK_ALLOWLIST: places })
  for (const name of ['healthy', 'broken', 'gone', 'hanging', 'paused', 'off', 'waiting', 'fresh'])
    devices[name] = await createDevice(world, name)
  await save(devices.hanging, hanging.url)
  await causeEvent('hanging')
  await save(devices.healthy, healthy.url)
  await save(devices.broken, broken.url)
  await save(devices.gone, gone.url)
  await save(devices.paused, healthy.url, { enabled: false })
  await save(devices.waiting, healthy.url, { enabled: false })
  await devices.off?.caller.post('/webhook', { action: 'delete' })
  for (const name of ['healthy', 'broken', 'gone', 'paused', 'off', 'waiting']) await causeEvent(name)
})
afterAll(async () => {
  await world.close()
  for (const receiver of [healthy, broken, gone, hanging]) await receiver.close()
})

const readOverview = async () => (await world.admin.get('/v1/overview')).body

/** Undefined until it is in this state. */
async function findInState(name: string, state: string) {
  const { body } = await world.admin.get(`/v1/instances?webhook=${state}&search=${devices[name]?.id}`)
  return body.instances[0]?.webhook
}

const untilInState = (name: string, state: string, within?: number) =>
  until(() => findInState(name, state), { ...(within && { within }) })

/** Makes it due again past the gateway, as if nothing had delivered it for two minutes. */
const ageEvents = (name: string, change: string) =>
  world.queryDatabase(`update events set ${change} where instance_id = '${devices[name]?.id}'`)

test('each state of a webhook says since when and why', async () => {
  const before = Date.now() - MINUTE
  expect(await untilInState('healthy', 'healthy')).toMatchObject({ since: '', cause: '', inherited: false })
  const resting = await untilInState('gone', 'resting')
  expect(resting).toMatchObject({ cause: 'status_410', status: 410 })
  const failing = await untilInState('broken', 'failing')
  expect(failing).toMatchObject({ cause: 'status_500', status: 500 })
  const paused = await untilInState('paused', 'paused')
  expect(paused).toMatchObject({ cause: '', status: 0 })
  for (const { since } of [resting, failing, paused]) expect(Date.parse(since)).toBeGreaterThan(before)
  expect(await untilInState('off', 'off')).toMatchObject({ since: expect.stringMatching(/Z$/) })
  expect(await untilInState('fresh', 'off')).toMatchObject({ since: '' })
})

test('an event that is due for over a minute without a failure makes its webhook waiting', async () => {
  await until(
    async () => (await devices.waiting?.caller.get('/v1/events?status=pending'))?.body.events.length,
  )
  await ageEvents('waiting', `created_at = ${Date.now() - 2 * MINUTE}`)
  // Not by the API, which would deliver it at once.
  await world.queryDatabase(`update webhooks set enabled = 1 where instance_id = '${devices.waiting?.id}'`)
  const { since } = await untilInState('waiting', 'waiting')
  expect(Date.now() - Date.parse(since)).toBeGreaterThan(1.9 * MINUTE)
})

test('a receiver that fails and then succeeds is healthy again', async () => {
  broken.status = 204
  await save(devices.broken, broken.url, { enabled: false })
  await save(devices.broken, broken.url)
  await untilInState('broken', 'healthy', 20_000)
})

test('the counts agree with the lists behind them', async () => {
  await until(async () => {
    const overview = await readOverview()
    const { total, states, reasons } = overview.instances
    const addUp = (counted: Record<string, number>) => Object.values(counted).reduce((sum, n) => sum + n, 0)
    expect([addUp(states), addUp(overview.webhooks)]).toEqual([total, total])
    expect(addUp(reasons)).toBe(total - states.connected)
    const groups = { state: states, reason: reasons, webhook: overview.webhooks }
    for (const [filter, counted] of Object.entries(groups))
      for (const [word, n] of Object.entries(counted)) {
        const { body } = await world.admin.get(`/v1/instances?${filter}=${word}&limit=1`)
        expect([filter, word, body.total]).toEqual([filter, word, n])
      }
    return true
  })
})

test('hours add up to the day, and an event without a receiver does not count as delivered', async () => {
  const { id = '' } = devices.fresh ?? {}
  // Hours of the clock. The next one may begin meanwhile: none of these is in the first hour or in the last two.
  const hour = Math.floor(Date.now() / HOUR) * HOUR
  const insert = async (n: number, at: number, delivery?: DeliveryValues) => {
    await world.queryDatabase(`insert into events
      (id, instance_id, seq, type, owner, payload, at, created_at, status, wanted) values
      ('${id.slice(0, -2)}${10 + n}', '${id}', ${1000 + n}, 'messages', '', '{}', ${at}, ${at}, 'delivered', ${delivery ? 1 : 0})`)
    if (delivery)
      await world.queryDatabase(insertDeliveries(`e.instance_id = '${id}' and e.seq = ${1000 + n}`, delivery))
  }
  const delivered = { status: "'delivered'", last_attempt_at: hour }
  await insert(1, hour - 3 * HOUR)
  await insert(2, hour - 23 * HOUR - 1, delivered)
  await insert(3, hour - 3 * HOUR, delivered)
  await insert(4, hour - 3 * HOUR, delivered)
  await insert(5, hour - 2 * HOUR - 1, { status: "'dead'", attempts: 12 })
  await insert(6, hour - 22 * HOUR, { status: "'dead'", attempts: 0 })
  const findHour = (hours: { at: string; delivered: number }[], at: number) =>
    hours.find((one) => Date.parse(one.at) === at)
  const events = await until(async () => {
    const { events } = await readOverview()
    return findHour(events.hours, hour - 3 * HOUR)?.delivered === 2 && events
  })
  const [first, last] = [Date.parse(events.hours[0].at), Date.parse(events.hours[23].at)]
  expect([events.hours.length, last - first, last % HOUR]).toEqual([24, 23 * HOUR, 0])
  expect(findHour(events.hours, hour - 3 * HOUR)).toMatchObject({
    delivered: 2,
    unaddressed: 1,
    dead: 1,
    pending: 0,
  })
  expect(findHour(events.hours, hour - 22 * HOUR)).toMatchObject({ delivered: 0, dead: 1 })
  for (const word of ['delivered', 'unaddressed', 'pending', 'dead'])
    expect([word, events.lastDay[word]]).toEqual([
      word,
      events.hours.reduce((sum: number, counted: Record<string, number>) => sum + (counted[word] ?? 0), 0),
    ])
  expect(events.lastHour.unaddressed).toBeGreaterThan(0)
  expect(events.lastHour.pending).toBeGreaterThan(0)
})

test('hosts are counted by whether they are linked, drain or are away', async () => {
  const [host] = (await world.admin.get('/v1/hosts')).body.hosts
  await world.admin.post('/v1/hosts', { region: 'elsewhere', slots: 7 })
  expect(
    await until(async () => (await readOverview()).hosts.total === 2 && (await readOverview()).hosts),
  ).toEqual({
    total: 2,
    linked: 1,
    draining: 0,
    away: 0,
    sessions: expect.any(Number),
    slots: host.slots,
  })
  await world.queryDatabase(`update hosts set lease_until = 1 where region = 'elsewhere'`)
  await until(async () => (await readOverview()).hosts.away === 1)
})

test('a receiver that never responds makes the webhook failing by a timeout', async () => {
  const { cause, status } = await untilInState('hanging', 'failing', 30_000)
  expect([cause, status]).toEqual(['timeout', 0])
})

test('an instance without a choice inherits the webhook of the server and its state', async () => {
  await world.admin.post('/v1/webhook', { url: healthy.url, events: 'all' })
  expect(await untilInState('fresh', 'healthy')).toMatchObject({ inherited: true })
  expect(await findInState('off', 'off')).toMatchObject({ inherited: false })
})
