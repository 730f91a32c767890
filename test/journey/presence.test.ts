// Presence of others: who is online or types in subscribed chats, told once and to those who want it.
// @module-tag slow

import { expect, onTestFinished, test } from 'vitest'
import { createPhone, waitUntilConnected } from '../device.ts'
import { type Seen, startScene } from '../scene.ts'
import { until } from '../until.ts'
import { toPersonJid } from './endings/row.ts'

const { world, device, receiver } = await startScene()

const post = (path: string, body: object) => device.caller.post(path, body)
const showPhone = (number: string, state: string, more: object = {}) =>
  world.sim('POST', `/phones/${number}/presence`, { state, ...more })
const listPresence = (number: string): Seen[] =>
  receiver.deliveries
    .map(({ envelope }) => envelope as Seen)
    .filter(({ EventType, event }) => EventType === 'presence' && event.number === number)
const listStates = (number: string): string[] => listPresence(number).map(({ event }) => event.state)
const waitForState = (number: string, state: string): Promise<Seen> =>
  until(() => listPresence(number).find(({ event }) => event.state === state))
const listSubscribed = async (): Promise<Seen[]> => {
  const { entries } = await world.sim('GET', `/log?number=${device.number}`)
  return (entries as Seen[]).filter(({ what, state }) => what === 'presence' && state === 'subscribe')
}

/** The account has written to a person and he to it, so that each knows the other. */
async function createFriend(privacy: object = {}): Promise<string> {
  const friend = await createPhone(world, 'Anna')
  await world.sim('PATCH', `/phones/${friend}/profile`, { privacy })
  const { id } = await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'hello' })
  await until(async () => (await post('/message/find', { id })).body.messages.length === 1)
  return friend
}

/** States of presence with this result, by the edge's own count. */
async function readMetric(result: string): Promise<number> {
  const text = await (await fetch(`${world.run.edgeMetricsUrl}/metrics`)).text()
  return Number(new RegExp(`edge_presence_total\\{result="${result}"\\} (\\d+)`).exec(text)?.[1] ?? 0)
}

/** What is sent to the receiver after it was sent before. */
async function passMarker(): Promise<void> {
  const friend = await createFriend()
  await until(() =>
    receiver.deliveries.some(({ envelope }) => (envelope as Seen).message?.chatid === toPersonJid(friend)),
  )
}

test('of a subscribed person the receiver learns when they are online, type, record and leave', async () => {
  const friend = await createFriend()
  const chat = toPersonJid(friend)
  await post('/instance/presence', { presence: 'available' })
  const subscribed = await post('/chat/subscribe', { number: friend })
  expect(subscribed.body).toEqual({ response: 'Subscribed', subscriptions: 1, online: true })
  await waitForState(chat, 'unavailable')
  await showPhone(friend, 'available')
  const online = await waitForState(chat, 'available')
  expect(online).toMatchObject({ instanceId: device.id, owner: device.number, seq: 0 })
  for (const state of ['composing', 'recording', 'paused']) {
    await showPhone(friend, state, { to: device.number, addressing: state === 'recording' ? 'lid' : 'pn' })
    const { event } = await waitForState(chat, state)
    expect(event).toMatchObject({ Sender: chat, sender_pn: chat, IsGroup: false, lastSeen: 0 })
  }
  await showPhone(friend, 'unavailable')
  const left = await until(() => listPresence(chat).find(({ event }) => event.lastSeen > 0))
  expect(Math.abs(left.event.lastSeen - Date.now())).toBeLessThan(60_000)
  // Presence is not stored: it is in no list of events, and leaves no gap in it.
  const { events } = (await device.caller.get('/v1/events?limit=200')).body
  expect(events.some(({ type }: Seen) => type === 'presence')).toBe(false)
  const seqs = events.map(({ seq }: Seen) => seq)
  expect(Math.max(...seqs) - Math.min(...seqs)).toBe(seqs.length - 1)
})

test('in a group the one who types is named, and chats that are not subscribed report nothing', async () => {
  const [anna, ben, stranger] = [await createFriend(), await createFriend(), await createFriend()]
  const { jid } = await world.sim('POST', '/groups', {
    subject: 'Typing',
    owner: anna,
    participants: [ben, device.number],
  })
  await until(async () => (await post('/group/info', { groupjid: jid })).status === 200)
  expect((await post('/chat/subscribe', { number: jid })).body).toMatchObject({ subscriptions: 2 })
  await showPhone(stranger, 'composing', { to: device.number })
  await showPhone(ben, 'composing', { to: jid })
  const { event } = await waitForState(jid as string, 'composing')
  expect(event).toMatchObject({ number: jid, IsGroup: true, sender_pn: toPersonJid(ben) })
  await passMarker()
  expect(listPresence(toPersonJid(stranger))).toEqual([])
  expect((await post('/chat/subscribe', { number: jid, subscribe: false })).body).toMatchObject({
    response: 'Unsubscribed',
    subscriptions: 1,
  })
})

test('a person shows no more than their settings allow, and what is for contacts needs the token of the account', async () => {
  const [hidden, forContacts] = [
    await createFriend({ last: 'none', online: 'match_last_seen' }),
    await createFriend({ last: 'contacts' }),
  ]
  await showPhone(forContacts, 'available')
  await showPhone(forContacts, 'unavailable')
  for (const number of [hidden, forContacts]) await post('/chat/subscribe', { number })
  await showPhone(hidden, 'available')
  const { event } = await waitForState(toPersonJid(forContacts), 'unavailable')
  expect(event.lastSeen).toBeGreaterThan(0)
  const subscribed = await listSubscribed()
  expect(subscribed.find(({ to }) => to === toPersonJid(forContacts))).toMatchObject({ vouched: true })
  await passMarker()
  expect(listStates(toPersonJid(hidden))).toEqual([])
  for (const number of [hidden, forContacts]) await post('/chat/subscribe', { number, subscribe: false })
})

test('a number without an account and one that is none are refused', async () => {
  const refused = await post('/chat/subscribe', { number: '5511900000009' })
  expect([refused.status, refused.body.error]).toEqual([422, 'not_on_network'])
  const invalid = await post('/chat/subscribe', { number: 'nobody' })
  expect([invalid.status, invalid.body.error]).toEqual([400, 'invalid_number'])
})

test('a person who changes a hundred times is told a few times, the last state last, and messages are not delayed', async () => {
  const friend = await createFriend()
  const chat = toPersonJid(friend)
  await post('/chat/subscribe', { number: friend })
  await waitForState(chat, 'unavailable')
  for (let turn = 0; turn < 50; turn++) {
    await showPhone(friend, 'composing', { to: device.number })
    await showPhone(friend, 'paused', { to: device.number })
  }
  await showPhone(friend, 'recording', { to: device.number })
  await until(() => listStates(chat).at(-1) === 'recording')
  expect(listStates(chat).length).toBeLessThan(20)
})

test('a receiver that holds a state gets messages meanwhile, and one that fails does not get it again', async () => {
  const friend = await createFriend()
  const chat = toPersonJid(friend)
  await post('/chat/subscribe', { number: friend })
  await waitForState(chat, 'unavailable')
  const held = Promise.withResolvers<void>()
  receiver.holdNext(held.promise)
  await showPhone(friend, 'available')
  await waitForState(chat, 'available')
  await passMarker()
  held.resolve()
  await showPhone(friend, 'recording', { to: device.number })
  await waitForState(chat, 'recording')
  await passMarker()
  expect(listStates(chat)).toEqual(['unavailable', 'available', 'recording'])
  receiver.status = 500
  onTestFinished(() => {
    receiver.status = 204
  })
  await showPhone(friend, 'composing', { to: device.number })
  await until(async () => (await readMetric('failed')) > 0)
  receiver.status = 204
  await passMarker()
  expect(listStates(chat)).toEqual(['unavailable', 'available', 'recording', 'composing'])
  const readStatus = async () => (await device.caller.get('/webhook')).body.deliveryStatus
  // The receiver has the marker before the edge has stored that it has it.
  await until(async () => (await readStatus()).pending === 0)
  expect(await readStatus()).toMatchObject({ pending: 0, dead: 0, lastFailure: null })
})

test('subscriptions and being online are renewed after a lost connection and after a kill of everything', async () => {
  const friend = await createFriend()
  const chat = toPersonJid(friend)
  await post('/chat/subscribe', { number: friend })
  const renewals = async () => (await listSubscribed()).filter(({ to }) => to === chat).length
  const before = await renewals()
  await world.sim('POST', '/faults', { kind: 'close', number: device.number })
  await until(async () => (await renewals()) > before)
  await waitUntilConnected(device)
  await world.killAndRestart()
  await waitUntilConnected(device, 40_000)
  await until(async () => (await renewals()) > 0)
  await showPhone(friend, 'composing', { to: device.number })
  await waitForState(chat, 'composing')
})

test('a stream shows presence to readers who are there, without an id to go on from', async () => {
  const friend = await createFriend()
  await post('/chat/subscribe', { number: friend })
  const limit = new AbortController()
  const response = await fetch(`${world.run.baseUrl}/v1/events/stream`, {
    headers: { token: device.token },
    signal: limit.signal,
  })
  const reader = (response.body as ReadableStream<Uint8Array>)
    .pipeThrough(new TextDecoderStream())
    .getReader()
  await reader.read()
  let text = ''
  const next = reader.read()
  await showPhone(friend, 'composing', { to: device.number })
  text += (await next).value ?? ''
  while (!text.includes('"EventType":"presence"')) text += (await reader.read()).value ?? ''
  limit.abort()
  const block = text.split('\n\n').find((one) => one.includes('"presence"')) ?? ''
  expect(block).not.toContain('id:')
})
