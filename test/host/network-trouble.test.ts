// A network that is silent, refuses, cannot be reached or throws a session out: what the host makes of each.

import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { KIND, sentText, startWorld, type World } from './world.ts'

let world: World
let numbers = 5511800000000

beforeAll(async () => {
  world = await startWorld()
  await world.phone('5511700000001', 'Ben')
})
afterEach(() => world.sim('DELETE', '/faults'))
afterAll(() => world.close())

const BEN = '5511700000001@s.msgnet.net'
const fault = (body: object) => world.sim('POST', '/faults', body)

async function linked() {
  const number = String(++numbers)
  return { number, instance: await world.linked(number) }
}

const logins = async (number: string) => {
  const { entries } = await world.sim<{ entries: { what: string }[] }>('GET', `/log?number=${number}`)
  return entries.filter(({ what }) => what === 'login').length
}

const stored = (instance: string, reason: string) =>
  until(() => {
    const state = world.state(instance)
    return state?.status === 'disconnected' && state.lastDisconnectReason === reason ? state : undefined
  })

test('a send that nobody answers is unknown, and a later receipt still makes it known', async () => {
  const { number, instance } = await linked()
  const quiet = '5511700000098'
  await world.sim('POST', '/phones', { number: quiet, autoReceipt: false })
  await fault({ kind: 'silent', tag: 'message', number })
  const text = sentText(`${quiet}@s.msgnet.net`, 'anybody?')
  const outcome = await world.edge.act(instance, 'message.sendText', text, { budget: 1500 })
  expect(outcome.kind).toBe('unknown')
  // The network had taken it: the addressee's phone says so, and the message is reported, once.
  await world.sim('POST', `/messages/${text.messageid}/receipt`, { by: quiet, type: 'delivered' })
  await until(() => world.edge.events(instance, 'messages_update').length > 0)
  const [told, ...more] = world.edge.events(instance, 'messages')
  expect(told?.payload).toMatchObject({ message: { messageid: text.messageid, status: 'Delivered' } })
  expect(more).toEqual([])
})

test('a send that the network refuses is refused with its code', async () => {
  const { number, instance } = await linked()
  await fault({ kind: 'refuse', tag: 'message', code: 479, number })
  const outcome = await world.edge.act(instance, 'message.sendText', sentText(BEN, 'no'))
  expect(outcome).toMatchObject({ kind: 'refused', fault: 'operation_refused', providerCode: 479 })
  expect(world.edge.events(instance, 'messages')).toEqual([])
})

test('a number without account is refused before anything is sent', async () => {
  const { instance } = await linked()
  const text = sentText('5511999999999@s.msgnet.net', 'hello?')
  const outcome = await world.edge.act(instance, 'message.sendText', text)
  expect(outcome).toMatchObject({ kind: 'refused', fault: 'not_on_network' })
})

test('a silent question whether a number has an account is unknown, not "no account"', async () => {
  const { number, instance } = await linked()
  await world.phone('5511700000099')
  await fault({ kind: 'silent', xmlns: 'usync', number })
  const text = sentText('5511700000099@s.msgnet.net', 'hello?')
  const outcome = await world.edge.act(instance, 'message.sendText', text, { budget: 1500 })
  expect(outcome.kind).toBe('unknown')
})

test('without a login a send is refused as not connected', async () => {
  const outcome = await world.edge.act(crypto.randomUUID(), 'message.sendText', sentText(BEN, 'no'))
  expect(outcome).toMatchObject({ kind: 'refused', fault: 'not_connected' })
})

test('an unlinked device that cannot reach the network is told so, and stays disconnected', async () => {
  await fault({ kind: 'unreachable' })
  const instance = crypto.randomUUID()
  const outcome = await world.edge.act(instance, 'session.connect', KIND)
  expect(outcome).toMatchObject({ kind: 'refused', fault: 'msgnet_unreachable' })
  expect(await stored(instance, 'unreachable')).toMatchObject({ connected: false })
})

test('connect answers when its wait is over with what is known by then', async () => {
  const outcome = await world.edge.act(crypto.randomUUID(), 'session.connect', { ...KIND, waitMs: 1 })
  expect(outcome).toMatchObject({
    kind: 'done',
    result: { status: 'connecting', loggedIn: false, pairing: null },
  })
})

test('a linked device that cannot reach the network is told so, and comes back by itself', async () => {
  const { number, instance } = await linked()
  await fault({ kind: 'unreachable', number })
  const outcome = await world.edge.act(instance, 'session.restart', KIND)
  expect(outcome).toMatchObject({ kind: 'refused', fault: 'msgnet_unreachable' })
  await until(() => world.state(instance)?.lastDisconnectReason === 'unreachable')
  expect(world.state(instance)).toMatchObject({ status: 'connecting', jid: `${number}@s.msgnet.net` })
  await world.sim('DELETE', '/faults')
  await until(() => world.state(instance)?.loggedIn, { within: 20_000 })
})

test.each([
  ['a bare drop', undefined],
  ['515 (restart)', 515],
  ['503 (not now)', 503],
  ['500 (bad session), the first time', 500],
])('%s is followed by a new login with the same credential', async (_, code) => {
  const { number, instance } = await linked()
  const before = await logins(number)
  await fault({ kind: 'close', number, ...(code && { code }) })
  await until(async () => (await logins(number)) > before, { within: 20_000 })
  await until(() => world.state(instance)?.loggedIn)
})

test('401 is a logout by the phone: the credential is gone, and connecting again shows a QR', async () => {
  const { number, instance } = await linked()
  await world.sim('POST', `/phones/${number}/unlink`, {})
  expect(await stored(instance, 'logged_out')).toMatchObject({ jid: '', lid: '' })
  const outcome = await world.edge.act(instance, 'session.connect', KIND)
  expect(outcome).toMatchObject({ kind: 'done', result: { pairing: { method: 'qr' } } })
})

test('440 is not fought over, and the session comes back when it is asked for', async () => {
  const { number, instance } = await linked()
  const before = await logins(number)
  await fault({ kind: 'close', code: 440, number })
  expect(await stored(instance, 'replaced')).toMatchObject({ jid: `${number}@s.msgnet.net` })
  expect(await logins(number)).toBe(before)
  const outcome = await world.edge.act(instance, 'session.connect', KIND)
  expect(outcome).toMatchObject({ kind: 'done', result: { loggedIn: true } })
})

test('403 ends the session as banned and keeps the credential', async () => {
  const { number, instance } = await linked()
  await fault({ kind: 'login', code: 403, number })
  await world.edge.act(instance, 'session.restart', KIND)
  await stored(instance, 'banned')
  await world.sim('DELETE', '/faults')
  const outcome = await world.edge.act(instance, 'session.connect', KIND)
  expect(outcome).toMatchObject({ kind: 'done', result: { loggedIn: true, jid: `${number}@s.msgnet.net` } })
})

test('a network that keeps calling the session bad is left alone after three tries, credential kept', async () => {
  const { number, instance } = await linked()
  await fault({ kind: 'login', code: 500, number })
  await world.edge.act(instance, 'session.restart', KIND)
  expect(await stored(instance, 'bad_session')).toMatchObject({ jid: `${number}@s.msgnet.net` })
})

test('attempts at a failing login are a second or more apart', async () => {
  const { number, instance } = await linked()
  await fault({ kind: 'login', code: 405, number })
  const outcome = await world.edge.act(instance, 'session.restart', KIND)
  expect(outcome).toMatchObject({ kind: 'refused', fault: 'msgnet_unreachable' })
  for (let asked = 0; asked < 5; asked += 1) await world.edge.act(instance, 'session.connect', KIND)
  expect(world.state(instance)?.status).toBe('connecting')
})

test('disconnect unlinks the device on the network and forgets its keys', async () => {
  const { number, instance } = await linked()
  const outcome = await world.edge.act(instance, 'session.disconnect', {})
  expect(outcome).toMatchObject({
    kind: 'done',
    result: { unlinked: true, state: { status: 'disconnected', jid: '' } },
  })
  const { companions } = await world.sim('GET', `/phones/${number}`)
  expect(companions).toEqual([])
  expect(world.state(instance)).toMatchObject({ lastDisconnectReason: 'by_request' })
})

test('an unlinking that nobody confirms is not called one, and the keys go all the same', async () => {
  const { number, instance } = await linked()
  await fault({ kind: 'silent', xmlns: 'md', number })
  const outcome = await world.edge.act(instance, 'session.disconnect', {}, { budget: 1000 })
  expect(outcome).toMatchObject({ kind: 'done', result: { unlinked: false } })
  await world.sim('DELETE', '/faults')
  const again = await world.edge.act(instance, 'session.connect', KIND)
  expect(again).toMatchObject({ kind: 'done', result: { pairing: { method: 'qr' } } })
})

test('disconnecting a session that waits for its next attempt ends the attempts', async () => {
  const { number, instance } = await linked()
  await fault({ kind: 'unreachable', number })
  await world.edge.act(instance, 'session.restart', KIND)
  const outcome = await world.edge.act(instance, 'session.disconnect', {})
  expect(outcome).toMatchObject({
    kind: 'done',
    result: { unlinked: false, state: { status: 'disconnected', jid: '' } },
  })
  await world.sim('DELETE', '/faults')
  const again = await world.edge.act(instance, 'session.connect', KIND)
  expect(again).toMatchObject({ kind: 'done', result: { loggedIn: false, pairing: { method: 'qr' } } })
})

test('a pairing by QR gives way to one by code, and that to one for another phone', async () => {
  const instance = crypto.randomUUID()
  const [one, other] = [await world.phone('5511700000051'), await world.phone('5511700000052')]
  const qr = await world.edge.act(instance, 'session.connect', KIND)
  expect(qr).toMatchObject({ kind: 'done', result: { pairing: { method: 'qr' } } })
  const first = await world.edge.act(instance, 'session.connect', { ...KIND, phone: one })
  const same = await world.edge.act(instance, 'session.connect', { ...KIND, phone: one })
  expect(first).toMatchObject({ kind: 'done', result: { pairing: { method: 'code' } } })
  expect(same).toEqual(first)
  const second = await world.edge.act(instance, 'session.connect', { ...KIND, phone: other })
  if (second.kind !== 'done' || second.result.pairing?.method !== 'code')
    throw new Error(JSON.stringify(second))
  await world.sim('POST', `/phones/${other}/code`, { code: second.result.pairing.code })
  expect(await world.loggedIn(instance)).toMatchObject({ jid: `${other}@s.msgnet.net` })
})

test('connect, restart and connect at once make one socket', async () => {
  const { number, instance } = await linked()
  await Promise.all([
    world.edge.act(instance, 'session.restart', KIND),
    world.edge.act(instance, 'session.connect', KIND),
    world.edge.act(instance, 'session.connect', KIND),
  ])
  await until(() => world.state(instance)?.loggedIn)
  const { companions } = await world.sim<{ companions: { online: boolean }[] }>('GET', `/phones/${number}`)
  expect(companions).toHaveLength(1)
  expect(
    world.edge.states(instance).some(({ lastDisconnectReason }) => lastDisconnectReason === 'replaced'),
  ).toBe(false)
})

test('a network whose certificate ends in another root is not spoken to', async () => {
  const { instance } = await linked()
  await world.restartHost({ network: { url: world.simulator.networkUrl, rootKey: randomBytes(32) } })
  await until(() => world.state(instance)?.lastDisconnectReason === 'unreachable')
  const stranger = crypto.randomUUID()
  const outcome = await world.edge.act(stranger, 'session.connect', KIND)
  expect(outcome).toMatchObject({ kind: 'refused', fault: 'msgnet_unreachable' })
  await world.restartHost()
  await until(() => world.state(instance)?.loggedIn, { within: 20_000 })
})
