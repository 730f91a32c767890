// How the network ends connections and refuses logins, pairings and look-ups, in every form that clients have seen, and what callers hear.
// @module-tag slow

import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startHttpProxy } from '../proxy.ts'
import { until } from '../until.ts'
import { createTextInput, KIND, startWorld, type World } from './world.ts'

let world: World
let numbers = 5511810000000
const lines: Record<string, unknown>[] = []

beforeAll(async () => {
  const log = new Writable({
    write(chunk, _, done) {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  world = await startWorld({}, pino({ level: 'info' }, log))
})
afterEach(async () => {
  await world.sim('DELETE', '/faults')
  await world.sim('PATCH', '/network', { oldestVersion: null })
})
afterAll(() => world.close())

const causeFault = (body: object) => world.sim('POST', '/faults', body)
const findLines = (msg: string) => lines.filter((line) => line.msg === msg)
/** The devices of the tests before end and begin connections too. */
const findLastEnding = (instance: string) =>
  findLines('connection ended').findLast((line) => line.instance === instance)

async function linkPhone() {
  const number = String(++numbers)
  return { number, instance: await world.linkPhone(number) }
}

async function readMetrics(name: string): Promise<string[]> {
  const text = await (await fetch(`http://127.0.0.1:${world.host.metricsPort}/metrics`)).text()
  return text.split('\n').filter((line) => line.startsWith(name))
}

test('a stream error without a code never ends a linked device, however often it comes', async () => {
  const { number, instance } = await linkPhone()
  for (let times = 0; times < 3; times++) {
    await causeFault({ kind: 'close', number, child: 'ack', attrs: { class: 'receipt', type: 'read' } })
    await until(() => world.findState(instance)?.loggedIn === false)
    // Asked for, it does not wait for its backoff.
    await world.edge.performAction(instance, 'session.connect', KIND)
    await until(() => world.findState(instance)?.loggedIn, { within: 20_000 })
  }
  const states = world.edge.listStates(instance).map(({ status }) => status)
  expect(states.slice(states.indexOf('connected'))).not.toContain('disconnected')
  expect(await readMetrics('host_network_closings_total{said="stream:error ack"}')).toEqual([
    'host_network_closings_total{said="stream:error ack"} 3',
  ])
  expect(findLastEnding(instance)).toMatchObject({
    closing: { kind: 'lost', networkWords: 'stream:error ack' },
  })
})

test('a version that the network refuses is reported as outdated, and a newer one from the settings logs in', async () => {
  const { number, instance } = await linkPhone()
  await world.sim('PATCH', '/network', { oldestVersion: '2.3000.2000000000' })
  const outcome = await world.edge.performAction(instance, 'session.restart', KIND)
  expect(outcome).toMatchObject({ kind: 'refused', fault: 'msgnet_unreachable' })
  const state = await until(() => {
    const now = world.findState(instance)
    return now?.lastDisconnectReason === 'outdated' ? now : undefined
  })
  expect(state).toMatchObject({ status: 'connecting', loggedIn: false, jid: `${number}@s.msgnet.net` })
  expect(world.edge.listEvents(instance, 'connection').at(-1)?.payload).toEqual({
    status: 'connecting',
    lastDisconnectReason: 'outdated',
  })
  const { decision } = findLastEnding(instance) as { decision: { afterMs: number } }
  expect(decision.afterMs).toBeGreaterThanOrEqual(15 * 60_000)
  const { network } = world.config
  await world.restartHost({ network: { ...network, version: [2, 3000, 2_000_000_000] } })
  await world.waitUntilLoggedIn(instance)
  await world.sim('PATCH', '/network', { oldestVersion: null })
  await world.restartHost()
  await until(() => world.findState(instance)?.loggedIn)
})

test('a pairing that fails because the version is outdated is reported as outdated', async () => {
  await world.sim('PATCH', '/network', { oldestVersion: '2.3000.2000000000' })
  const outcome = await world.edge.performAction(crypto.randomUUID(), 'session.connect', KIND)
  expect(outcome).toMatchObject({
    kind: 'done',
    result: { status: 'disconnected', lastDisconnectReason: 'outdated', pairing: null },
  })
})

test('with the version `auto` a host announces the one of the network’s site when its own is refused', async () => {
  const { instance } = await linkPhone()
  const { network } = world.config
  await world.restartHost({ network: { ...network, version: 'auto' } })
  await world.waitUntilLoggedIn(instance)
  await world.sim('PATCH', '/network', { oldestVersion: '2.3000.2000000000' })
  await world.edge.performAction(instance, 'session.restart', KIND)
  await world.waitUntilLoggedIn(instance)
  expect(findLines('newer version announced: the network refused ours').at(-1)).toMatchObject({
    version: '2.3000.2000000000',
  })
  const linked = await world.linkPhone(String(++numbers))
  expect(world.findState(linked)).toMatchObject({ loggedIn: true, lastDisconnectReason: '' })
  await world.restartHost()
})

test('with the version `auto` a linking that is refused as outdated goes on with the newer version', async () => {
  const { network } = world.config
  await world.restartHost({ network: { ...network, version: 'auto' } })
  await world.sim('PATCH', '/network', { oldestVersion: '2.3000.2000000001' })
  const instance = await world.linkPhone(String(++numbers))
  expect(world.findState(instance)).toMatchObject({ loggedIn: true, lastDisconnectReason: '' })
  await world.sim('PATCH', '/network', { oldestVersion: null })
  await world.restartHost()
})

test('with the version `auto` the network’s site is read through the proxy of the instance', async () => {
  const proxy = await startHttpProxy()
  const { network } = world.config
  await world.restartHost({ network: { ...network, version: 'auto' } })
  const { instance } = await linkPhone()
  await world.sim('PATCH', '/network', { oldestVersion: '2.3000.2000000002' })
  await world.edge.performAction(instance, 'session.restart', { ...KIND, proxy: proxy.url })
  await world.waitUntilLoggedIn(instance)
  // The refused connection, the site and the next connection.
  expect(proxy.served).toHaveLength(3)
  await world.sim('PATCH', '/network', { oldestVersion: null })
  await world.restartHost()
  await proxy.close()
})

test('with the version `auto` a refusal of the version that the site itself has stays outdated', async () => {
  const { network } = world.config
  await world.restartHost({ network: { ...network, version: 'auto' } })
  const { number, instance } = await linkPhone()
  await causeFault({ kind: 'login', code: 405, number })
  await world.edge.performAction(instance, 'session.restart', KIND)
  await until(() => world.findState(instance)?.lastDisconnectReason === 'outdated')
  expect(findLastEnding(instance)).toMatchObject({ closing: { kind: 'outdated' } })
  await world.restartHost()
})

test('a login without a pairing is ignored, and the device can still be linked', async () => {
  const number = await world.createPhone(String(++numbers))
  const instance = crypto.randomUUID()
  await causeFault({ kind: 'welcome', count: 1 })
  const outcome = await world.edge.performAction(instance, 'session.connect', KIND)
  expect(outcome).toMatchObject({
    kind: 'done',
    result: { loggedIn: false, jid: '', pairing: { method: 'qr' } },
  })
  expect(world.edge.listStates(instance).some(({ loggedIn }) => loggedIn)).toBe(false)
  const pairing = outcome.kind === 'done' ? outcome.result.pairing : undefined
  if (pairing?.method !== 'qr') throw new Error('no QR')
  await world.sim('POST', `/phones/${number}/scan`, { qr: pairing.qr })
  expect(await world.waitUntilLoggedIn(instance)).toMatchObject({ jid: `${number}@s.msgnet.net` })
})

test('a number is reported as absent only if the response says so', async () => {
  const { number, instance } = await linkPhone()
  const friend = await world.createPhone(String(++numbers))
  const to = `${friend}@s.msgnet.net`
  await causeFault({ kind: 'leave_out', whom: friend, xmlns: 'usync', number, count: 2 })
  const text = createTextInput(to, 'are you there?')
  const left = { kind: 'refused', fault: 'msgnet_unreachable', errorKey: 'lookup_incomplete' }
  expect(await world.edge.performAction(instance, 'message.sendText', text)).toMatchObject(left)
  const check = await world.edge.performAction(instance, 'chat.check', { numbers: [friend, '5511999999998'] })
  expect(check).toMatchObject({
    kind: 'done',
    result: [
      { query: friend, isInMsgnet: false, error: 'lookup_incomplete' },
      { isInMsgnet: false, error: '' },
    ],
  })
  const again = await world.edge.performAction(
    instance,
    'message.sendText',
    createTextInput(to, 'are you there?'),
  )
  expect(again).toMatchObject({ kind: 'done' })
  const missing = createTextInput('5511999999999@s.msgnet.net', 'nobody')
  expect(await world.edge.performAction(instance, 'message.sendText', missing)).toMatchObject({
    fault: 'not_on_network',
  })
})

test('a message that could not be encrypted for any device is refused, because nothing was sent', async () => {
  const { number, instance } = await linkPhone()
  const friend = await world.createPhone(String(++numbers))
  await causeFault({ kind: 'leave_out', whom: friend, xmlns: 'encrypt', number })
  const text = createTextInput(`${friend}@s.msgnet.net`, 'sealed for nobody')
  expect(await world.edge.performAction(instance, 'message.sendText', text)).toMatchObject({
    kind: 'refused',
    fault: 'operation_refused',
    errorKey: 'encryption_failed',
  })
  const { messages } = await world.sim<{ messages: unknown[] }>('GET', `/phones/${friend}/inbox`)
  expect(messages).toEqual([])
  const found = await world.edge.performAction(instance, 'message.find', {
    id: text.messageid,
    limit: 1,
    offset: 0,
  })
  expect(found).toMatchObject({
    kind: 'done',
    result: { messages: [{ status: 'Failed', error: 'encryption_failed' }] },
  })
  await world.sim('DELETE', '/faults')
  const again = await world.edge.performAction(
    instance,
    'message.sendText',
    createTextInput(text.number, 'sealed'),
  )
  expect(again).toMatchObject({ kind: 'done' })
})

test.each([
  [400, { fault: 'operation_refused', providerCode: 400 }],
  [429, { fault: 'rate_limited', providerCode: 429 }],
])('a pairing code that the network refuses with %i is refused', async (code, refusal) => {
  const phone = await world.createPhone(String(++numbers))
  const instance = crypto.randomUUID()
  await causeFault({ kind: 'refuse', xmlns: 'md', tag: 'link_code_companion_reg', code, count: 1 })
  const outcome = await world.edge.performAction(instance, 'session.connect', { ...KIND, phone })
  expect(outcome).toMatchObject({ kind: 'refused', ...refusal })
  expect(world.findState(instance)).toMatchObject({
    status: 'disconnected',
    lastDisconnectReason: '',
    pairing: null,
  })
  expect(world.edge.listStates(instance).some(({ pairing }) => pairing)).toBe(false)
  const again = await world.edge.performAction(instance, 'session.connect', { ...KIND, phone })
  expect(again).toMatchObject({ kind: 'done', result: { pairing: { method: 'code' } } })
})

test("a device with a name of the operator's is linked by a code under a name that the network knows", async () => {
  await world.restartHost({ device: { name: 'Acme Shop', platform: 'Firefox' } })
  const phone = await world.createPhone(String(++numbers))
  const instance = crypto.randomUUID()
  const outcome = await world.edge.performAction(instance, 'session.connect', { ...KIND, phone })
  const pairing = outcome.kind === 'done' ? outcome.result.pairing : undefined
  if (pairing?.method !== 'code') throw new Error(`no code but ${JSON.stringify(outcome)}`)
  await world.sim('POST', `/phones/${phone}/code`, { code: pairing.code })
  expect(await world.waitUntilLoggedIn(instance)).toMatchObject({ jid: `${phone}@s.msgnet.net` })
  await world.restartHost()
})

test('unknown words of the network are counted by name and logged once', async () => {
  const { number, instance } = await linkPhone()
  const stanzas = [
    { tag: 'ib', content: [{ tag: 'tidings' }] },
    { tag: 'ib', content: [{ tag: 'tidings' }] },
    { tag: 'notification', attrs: { type: 'weather', id: '1', from: '@s.whatsapp.net' } },
    { tag: 'error', attrs: { code: '479' } },
    { tag: 'ib', content: [{ tag: 'offline', attrs: { count: '0' } }] },
  ]
  for (const stanza of stanzas) await world.sim('POST', '/stanzas', { number, stanza })
  await causeFault({ kind: 'ack_error', code: 498, number, count: 1 })
  const friend = await world.createPhone(String(++numbers))
  const refused = await world.edge.performAction(
    instance,
    'message.sendText',
    createTextInput(`${friend}@s.msgnet.net`, 'no'),
  )
  expect(refused).toMatchObject({ fault: 'operation_refused', providerCode: 498 })
  await causeFault({ kind: 'close', number, child: 'tidings' })
  await until(async () => (await readMetrics('host_network_unknown_total{')).length === 5)
  expect((await readMetrics('host_network_unknown_total{')).sort()).toEqual([
    'host_network_unknown_total{kind="ib",name="tidings"} 2',
    'host_network_unknown_total{kind="nack",name="498"} 1',
    'host_network_unknown_total{kind="notification",name="weather"} 1',
    'host_network_unknown_total{kind="stanza",name="error"} 1',
    'host_network_unknown_total{kind="stream_error",name="tidings"} 1',
  ])
  const logged = findLines('network sent unknown word').map(({ kind, name }) => [kind, name])
  expect(logged).toEqual([
    ['ib', 'tidings'],
    ['notification', 'weather'],
    ['stanza', 'error'],
    ['nack', '498'],
    ['stream_error', 'tidings'],
  ])
})
