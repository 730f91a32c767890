// What the network lets an account do no longer, for a while: told, kept, and not asked for.

import { expect, test } from 'vitest'
import { makeDevice, makePhone } from '../device.ts'
import { type Seen, setScene } from '../scene.ts'
import { until } from '../until.ts'

const { world, device, told, inbox, fault } = await setScene()

const HOUR = 3_600_000
const limits = async (): Promise<Seen> => (await device.caller.get('/instance/limits')).body
const sends = (number: string, text: string) => device.caller.post('/send/text', { number, text })
/** Whole seconds: the network knows no others. */
const inAnHour = () => Math.floor((Date.now() + HOUR) / 1000) * 1000
const lock = (timeLockUntil: number) =>
  world.sim('PATCH', `/phones/${device.number}/limits`, { timeLockUntil })
const locked = (active: boolean) =>
  until(async () => (await limits()).reachout_timelock.active === active || undefined)
const written = async (): Promise<number> => {
  const { entries } = await world.sim('GET', `/log?number=${device.number}`)
  return (entries as Seen[]).filter(({ what }) => what === 'message').length
}

test('an account of which the network has said nothing has no limits, linked or not', async () => {
  const nothing = { active: false, until: 0 }
  const none = {
    ...{ reachout_timelock: nothing, rate_overlimit: nothing },
    ...{ new_chat_cap: null, recent: [] },
  }
  expect(await limits()).toEqual(none)
  const fresh = await makeDevice(world)
  expect((await fresh.caller.get('/instance/limits')).body).toEqual(none)
})

test('while a time lock runs somebody new is refused without asking; known chats and groups go on', async () => {
  const [known, writer, stranger] = [await makePhone(world), await makePhone(world), await makePhone(world)]
  expect((await sends(known, 'before')).status).toBe(200)
  const { id } = await world.sim('POST', '/messages', { from: writer, to: device.number, text: 'hello' })
  await told('messages', ({ message }) => message.messageid === id)
  const { body: group } = await device.caller.post('/group/create', { name: 'All', participants: [stranger] })
  const end = inAnHour()
  await lock(end)
  const { event } = await told('limits', (envelope) => envelope.event.until === end)
  expect(event).toEqual({ kind: 'reachout_timelock', active: true, until: end, provider_code: 0 })
  await locked(true)
  expect((await limits()).reachout_timelock).toEqual({ active: true, until: end })

  const before = await written()
  const refused = await sends(stranger, 'new here')
  expect(refused).toMatchObject({
    status: 422,
    body: { error: 'operation_refused', error_key: 'reachout_timelock', error_source: 'gateway', until: end },
  })
  expect(refused.body.message).toBe('The network lets the account write to nobody new at the moment.')
  expect(await written()).toBe(before)
  expect(await inbox(stranger)).toEqual([])
  for (const number of [known, writer, group.JID])
    expect((await sends(number, 'still here')).status).toBe(200)

  await lock(0)
  await locked(false)
  expect((await sends(stranger, 'at last')).status).toBe(200)
})

test('a lock that the network did not tell of is asked after when it refuses, and known from then on', async () => {
  const [first, second] = [await makePhone(world), await makePhone(world)]
  const end = inAnHour()
  await world.sim('PATCH', `/phones/${device.number}/limits`, { timeLockUntil: end, quietly: true })
  const { status, body } = await sends(first, 'refused by the network')
  expect([status, body.provider_code, body.error_source]).toEqual([422, 463, 'network'])
  await until(async () => (await limits()).reachout_timelock.until === end)
  expect((await limits()).recent[0]).toMatchObject({ route: '/send/text', provider_code: 463 })
  const refused = await sends(second, 'not asked for')
  expect([refused.status, refused.body.error_source, refused.body.until]).toEqual([422, 'gateway', end])
  expect([...(await inbox(first)), ...(await inbox(second))]).toEqual([])
  await lock(0)
  await locked(false)
})

test('what is asked too often is told with its route, for as long as callers are told to wait', async () => {
  await fault('refuse', { xmlns: 'usync', code: 429, count: 1 })
  const started = Date.now()
  const refused = await device.caller.post('/chat/check', { numbers: [await makePhone(world)] })
  expect(refused.status).toBe(429)
  const { rate_overlimit, recent } = await until(async () => {
    const now = await limits()
    return now.rate_overlimit.until > 0 && now
  })
  expect(rate_overlimit.until).toBeGreaterThanOrEqual(started + 30_000)
  expect(recent[0]).toMatchObject({ route: '/chat/check', provider_code: 429 })
  expect(recent[0].at).toBeGreaterThanOrEqual(started)
})

test('the cap on new chats is as the network told it last', async () => {
  const end = inAnHour()
  const newChatCap = { total: 20, used: 20, until: end }
  await world.sim('PATCH', `/phones/${device.number}/limits`, { newChatCap })
  await told('limits', ({ event }) => event.kind === 'new_chat_cap' && event.active)
  expect((await limits()).new_chat_cap).toEqual({ active: true, ...newChatCap })
})

test('a start of the gateway forgets no limit', async () => {
  const end = inAnHour()
  await lock(end)
  await locked(true)
  const before = await limits()
  await world.killAndRestart()
  const { reachout_timelock, recent } = await until(async () => {
    const answer = await device.caller.get('/instance/limits')
    return answer.status === 200 && answer.body
  })
  expect(reachout_timelock).toEqual({ active: true, until: end })
  expect(recent).toEqual(before.recent)
})
