// Temporary limits of an account by the network: reported, stored, and not requested again.

import { expect, test } from 'vitest'
import { createDevice, createPhone } from '../device.ts'
import { type Seen, startScene } from '../scene.ts'
import { until } from '../until.ts'

const { world, device, waitForEvent, readInbox, causeFault } = await startScene()

const HOUR = 3_600_000
const readLimits = async (): Promise<Seen> => (await device.caller.get('/instance/limits')).body
const sendText = (number: string, text: string) => device.caller.post('/send/text', { number, text })
/** Whole seconds: the network knows no others. */
const addHour = () => Math.floor((Date.now() + HOUR) / 1000) * 1000
const setTimeLock = (timeLockUntil: number) =>
  world.sim('PATCH', `/phones/${device.number}/limits`, { timeLockUntil })
const waitForLock = (active: boolean) =>
  until(async () => (await readLimits()).reachout_timelock.active === active || undefined)
const countWritten = async (): Promise<number> => {
  const { entries } = await world.sim('GET', `/log?number=${device.number}`)
  return (entries as Seen[]).filter(({ what }) => what === 'message').length
}

test('an account without limits from the network has none, linked or not', async () => {
  const nothing = { active: false, until: 0 }
  const none = { reachout_timelock: nothing, rate_overlimit: nothing, new_chat_cap: null, recent: [] }
  expect(await readLimits()).toEqual(none)
  const fresh = await createDevice(world)
  expect((await fresh.caller.get('/instance/limits')).body).toEqual(none)
})

test('during a time lock new chats are refused without a request, and known chats and groups work', async () => {
  const [known, writer, stranger] = [
    await createPhone(world),
    await createPhone(world),
    await createPhone(world),
  ]
  expect((await sendText(known, 'before')).status).toBe(200)
  const { id } = await world.sim('POST', '/messages', { from: writer, to: device.number, text: 'hello' })
  await waitForEvent('messages', ({ message }) => message.messageid === id)
  const { body: group } = await device.caller.post('/group/create', { name: 'All', participants: [stranger] })
  const end = addHour()
  await setTimeLock(end)
  const { event } = await waitForEvent('limits', (envelope) => envelope.event.until === end)
  expect(event).toEqual({ kind: 'reachout_timelock', active: true, until: end, provider_code: 0 })
  await waitForLock(true)
  expect((await readLimits()).reachout_timelock).toEqual({ active: true, until: end })

  const before = await countWritten()
  const refused = await sendText(stranger, 'new here')
  expect(refused).toMatchObject({
    status: 422,
    body: { error: 'operation_refused', error_key: 'reachout_timelock', error_source: 'gateway', until: end },
  })
  expect(refused.body.message).toBe('At the moment the network does not let the account write to new people.')
  expect(await countWritten()).toBe(before)
  expect(await readInbox(stranger)).toEqual([])
  for (const number of [known, writer, group.JID])
    expect((await sendText(number, 'still here')).status).toBe(200)

  await setTimeLock(0)
  await waitForLock(false)
  expect((await sendText(stranger, 'at last')).status).toBe(200)
})

test('a refusal by the network is among the recent ones, also of a send that nobody awaits', async () => {
  const phone = await createPhone(world)
  await setTimeLock(0)
  await world.sim('PATCH', `/phones/${device.number}/limits`, { timeLockUntil: addHour(), quietly: true })
  const before: unknown[] = (await readLimits()).recent
  const { status } = await device.caller.post('/send/text', { number: phone, text: 'later', async: true })
  expect(status).toBe(200)
  const [latest] = await until(async () => {
    const { recent } = await readLimits()
    return recent.length > before.length ? recent : undefined
  })
  expect(latest).toMatchObject({ route: '/send/text', provider_code: 463 })
  await setTimeLock(0)
  await waitForLock(false)
})

test('an unreported lock is requested when the network refuses, and known from then on', async () => {
  const [first, second] = [await createPhone(world), await createPhone(world)]
  const end = addHour()
  await world.sim('PATCH', `/phones/${device.number}/limits`, { timeLockUntil: end, quietly: true })
  const { status, body } = await sendText(first, 'refused by the network')
  expect([status, body.provider_code, body.error_source]).toEqual([422, 463, 'network'])
  await until(async () => (await readLimits()).reachout_timelock.until === end)
  expect((await readLimits()).recent[0]).toMatchObject({ route: '/send/text', provider_code: 463 })
  const refused = await sendText(second, 'not asked for')
  expect([refused.status, refused.body.error_source, refused.body.until]).toEqual([422, 'gateway', end])
  expect([...(await readInbox(first)), ...(await readInbox(second))]).toEqual([])
  await setTimeLock(0)
  await waitForLock(false)
})

test('a scheduled message to a new person that is due during a time lock fails with that reason and is not tried again', async () => {
  const [first, second] = [await createPhone(world), await createPhone(world)]
  const end = addHour()
  const schedule = async (number: string): Promise<string> => {
    const sendAt = new Date(Date.now() + 500).toISOString()
    const { status, body } = await device.caller.post('/send/text', { number, text: 'at its time', sendAt })
    expect([status, body.status]).toEqual([200, 'Scheduled'])
    return body.messageid
  }
  const waitForFailure = async (id: string) => {
    const { state, event } = await waitForEvent(
      'messages_update',
      ({ type, event }) => type === 'SendReceipt' && event.MessageIDs[0] === id,
    )
    return [state, event.error]
  }
  // The network has told nobody of its lock, so that it is asked.
  await world.sim('PATCH', `/phones/${device.number}/limits`, { timeLockUntil: end, quietly: true })
  const refused = await schedule(first)
  expect(await waitForFailure(refused)).toEqual(['Failed', '463'])
  await waitForEvent('limits', ({ event }) => event.kind === 'reachout_timelock' && event.until === end)
  await waitForLock(true)
  const before = await countWritten()
  const prevented = await schedule(second)
  expect(await waitForFailure(prevented)).toEqual(['Failed', 'reachout_timelock'])
  expect(await countWritten()).toBe(before)
  expect([...(await readInbox(first)), ...(await readInbox(second))]).toEqual([])
  expect((await device.caller.get('/v1/scheduled')).body.total).toBe(0)
  for (const id of [refused, prevented]) {
    const [found] = (await device.caller.post('/message/find', { id })).body.messages
    expect(found.status).toBe('Failed')
  }
  await setTimeLock(0)
  await waitForLock(false)
})

test('a request that is refused as too frequent is listed with its route while callers have to wait', async () => {
  await causeFault('refuse', { xmlns: 'usync', code: 429, count: 1 })
  const started = Date.now()
  const refused = await device.caller.post('/chat/check', { numbers: [await createPhone(world)] })
  expect(refused.status).toBe(429)
  const { rate_overlimit, recent } = await until(async () => {
    const now = await readLimits()
    return now.rate_overlimit.until > 0 && now
  })
  expect(rate_overlimit.until).toBeGreaterThanOrEqual(started + 30_000)
  expect(recent[0]).toMatchObject({ route: '/chat/check', provider_code: 429 })
  expect(recent[0].at).toBeGreaterThanOrEqual(started)
})

test('the cap on new chats is the last one that the network sent', async () => {
  const end = addHour()
  const newChatCap = { total: 20, used: 20, until: end }
  await world.sim('PATCH', `/phones/${device.number}/limits`, { newChatCap })
  await waitForEvent('limits', ({ event }) => event.kind === 'new_chat_cap' && event.active)
  expect((await readLimits()).new_chat_cap).toEqual({ active: true, ...newChatCap })
})

test('limits survive a restart of the gateway', async () => {
  const end = addHour()
  await setTimeLock(end)
  await waitForLock(true)
  const before = await readLimits()
  await world.killAndRestart()
  const { reachout_timelock, recent } = await until(async () => {
    const response = await device.caller.get('/instance/limits')
    return response.status === 200 && response.body
  })
  expect(reachout_timelock).toEqual({ active: true, until: end })
  expect(recent).toEqual(before.recent)
})
