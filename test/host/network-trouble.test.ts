// A network that is silent, refuses, cannot be reached or throws a session out: what the host makes of each.
// @module-tag slow

import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { createTextInput, KIND, startWorld, type World } from './world.ts'

let world: World
let numbers = 5511800000000

beforeAll(async () => {
  world = await startWorld()
  await world.createPhone('5511700000001', 'Ben')
})
afterEach(() => world.sim('DELETE', '/faults'))
afterAll(() => world.close())

const BEN = '5511700000001@s.msgnet.net'
const causeFault = (body: object) => world.sim('POST', '/faults', body)

async function linkPhone() {
  const number = String(++numbers)
  return { number, instance: await world.linkPhone(number) }
}

const countLogins = async (number: string) => {
  const { entries } = await world.sim<{ entries: { what: string }[] }>('GET', `/log?number=${number}`)
  return entries.filter(({ what }) => what === 'login').length
}

const waitForStoredReason = (instance: string, reason: string) =>
  until(() => {
    const state = world.findState(instance)
    return state?.status === 'disconnected' && state.lastDisconnectReason === reason ? state : undefined
  })

test('a send without an answer is unknown, and a later receipt resolves it', async () => {
  const { number, instance } = await linkPhone()
  const quiet = '5511700000098'
  await world.sim('POST', '/phones', { number: quiet, autoReceipt: false })
  await causeFault({ kind: 'silent', tag: 'message', number })
  const text = createTextInput(`${quiet}@s.msgnet.net`, 'anybody?')
  const outcome = await world.edge.performAction(instance, 'message.sendText', text, { budget: 1500 })
  expect(outcome.kind).toBe('unknown')
  // The network had taken it: the addressee's phone says so, and the message is reported, once.
  await world.sim('POST', `/messages/${text.messageid}/receipt`, { by: quiet, type: 'delivered' })
  await until(() => world.edge.listEvents(instance, 'messages_update').length > 0)
  const [event, ...more] = world.edge.listEvents(instance, 'messages')
  expect(event?.payload).toMatchObject({ message: { messageid: text.messageid, status: 'Delivered' } })
  expect(more).toEqual([])
})

test('a send that the network refuses is refused with its code', async () => {
  const { number, instance } = await linkPhone()
  await causeFault({ kind: 'refuse', tag: 'message', code: 479, number })
  const outcome = await world.edge.performAction(instance, 'message.sendText', createTextInput(BEN, 'no'))
  expect(outcome).toMatchObject({ kind: 'refused', fault: 'operation_refused', providerCode: 479 })
  expect(world.edge.listEvents(instance, 'messages')).toEqual([])
})

test('a number without account is refused before anything is sent', async () => {
  const { instance } = await linkPhone()
  const text = createTextInput('5511999999999@s.msgnet.net', 'hello?')
  const outcome = await world.edge.performAction(instance, 'message.sendText', text)
  expect(outcome).toMatchObject({ kind: 'refused', fault: 'not_on_network' })
})

test('a send whose lookup of the number is not answered is refused as unreachable, not as "no account": nothing was written', async () => {
  const { number, instance } = await linkPhone()
  await world.createPhone('5511700000099')
  await causeFault({ kind: 'silent', xmlns: 'usync', number })
  const text = createTextInput('5511700000099@s.msgnet.net', 'hello?')
  const outcome = await world.edge.performAction(instance, 'message.sendText', text, { budget: 1500 })
  expect(outcome).toMatchObject({ kind: 'refused', fault: 'msgnet_unreachable' })
})

test('without a login a send is refused as not connected', async () => {
  const outcome = await world.edge.performAction(
    crypto.randomUUID(),
    'message.sendText',
    createTextInput(BEN, 'no'),
  )
  expect(outcome).toMatchObject({ kind: 'refused', fault: 'not_connected' })
})

test('connecting an unlinked device is refused while the network is unreachable, and it stays disconnected', async () => {
  await causeFault({ kind: 'unreachable' })
  const instance = crypto.randomUUID()
  const outcome = await world.edge.performAction(instance, 'session.connect', KIND)
  expect(outcome).toMatchObject({ kind: 'refused', fault: 'msgnet_unreachable' })
  expect(await waitForStoredReason(instance, 'unreachable')).toMatchObject({ connected: false })
})

test('connect returns the current state when its wait is over', async () => {
  const outcome = await world.edge.performAction(crypto.randomUUID(), 'session.connect', {
    ...KIND,
    waitMs: 1,
  })
  expect(outcome).toMatchObject({
    kind: 'done',
    result: { status: 'connecting', loggedIn: false, pairing: null },
  })
})

test('connecting a linked device is refused while the network is unreachable, and it reconnects by itself', async () => {
  const { number, instance } = await linkPhone()
  await causeFault({ kind: 'unreachable', number })
  const outcome = await world.edge.performAction(instance, 'session.restart', KIND)
  expect(outcome).toMatchObject({ kind: 'refused', fault: 'msgnet_unreachable' })
  await until(() => world.findState(instance)?.lastDisconnectReason === 'unreachable')
  expect(world.findState(instance)).toMatchObject({ status: 'connecting', jid: `${number}@s.msgnet.net` })
  await world.sim('DELETE', '/faults')
  await until(() => world.findState(instance)?.loggedIn, { within: 20_000 })
})

test.each([
  ['a bare drop', undefined],
  ['515 (restart)', 515],
  ['503 (not now)', 503],
  ['500 (bad session), the first time', 500],
])('%s is followed by a new login with the same credential', async (_, code) => {
  const { number, instance } = await linkPhone()
  const before = await countLogins(number)
  await causeFault({ kind: 'close', number, ...(code && { code }) })
  await until(async () => (await countLogins(number)) > before, { within: 20_000 })
  await until(() => world.findState(instance)?.loggedIn)
})

test('401 logs the device out: its credential is deleted, and connecting again shows a QR', async () => {
  const { number, instance } = await linkPhone()
  await world.sim('POST', `/phones/${number}/unlink`, {})
  expect(await waitForStoredReason(instance, 'logged_out')).toMatchObject({ jid: '', lid: '' })
  const outcome = await world.edge.performAction(instance, 'session.connect', KIND)
  expect(outcome).toMatchObject({ kind: 'done', result: { pairing: { method: 'qr' } } })
})

test('440 ends the session until a caller connects it again', async () => {
  const { number, instance } = await linkPhone()
  const before = await countLogins(number)
  await causeFault({ kind: 'close', code: 440, number })
  expect(await waitForStoredReason(instance, 'replaced')).toMatchObject({ jid: `${number}@s.msgnet.net` })
  expect(await countLogins(number)).toBe(before)
  const outcome = await world.edge.performAction(instance, 'session.connect', KIND)
  expect(outcome).toMatchObject({ kind: 'done', result: { loggedIn: true } })
})

test('403 ends the session as banned and keeps the credential', async () => {
  const { number, instance } = await linkPhone()
  await causeFault({ kind: 'login', code: 403, number })
  await world.edge.performAction(instance, 'session.restart', KIND)
  await waitForStoredReason(instance, 'banned')
  await world.sim('DELETE', '/faults')
  const outcome = await world.edge.performAction(instance, 'session.connect', KIND)
  expect(outcome).toMatchObject({ kind: 'done', result: { loggedIn: true, jid: `${number}@s.msgnet.net` } })
})

test('a session that the network calls bad three times is ended, and its credential stays', async () => {
  const { number, instance } = await linkPhone()
  await causeFault({ kind: 'login', code: 500, number })
  await world.edge.performAction(instance, 'session.restart', KIND)
  expect(await waitForStoredReason(instance, 'bad_session')).toMatchObject({ jid: `${number}@s.msgnet.net` })
})

test('attempts at a failing login are at least a second apart', async () => {
  const { number, instance } = await linkPhone()
  await causeFault({ kind: 'login', code: 405, number })
  const outcome = await world.edge.performAction(instance, 'session.restart', KIND)
  expect(outcome).toMatchObject({ kind: 'refused', fault: 'msgnet_unreachable' })
  for (let count = 0; count < 5; count += 1) await world.edge.performAction(instance, 'session.connect', KIND)
  expect(world.findState(instance)?.status).toBe('connecting')
})

test('disconnect unlinks the device on the network and deletes its keys', async () => {
  const { number, instance } = await linkPhone()
  const outcome = await world.edge.performAction(instance, 'session.disconnect', {})
  expect(outcome).toMatchObject({
    kind: 'done',
    result: { unlinked: true, state: { status: 'disconnected', jid: '' } },
  })
  const { companions } = await world.sim('GET', `/phones/${number}`)
  expect(companions).toEqual([])
  expect(world.findState(instance)).toMatchObject({ lastDisconnectReason: 'by_request' })
})

test('an unconfirmed unlinking is reported as such, and deletes the keys too', async () => {
  const { number, instance } = await linkPhone()
  await causeFault({ kind: 'silent', xmlns: 'md', number })
  const outcome = await world.edge.performAction(instance, 'session.disconnect', {}, { budget: 1000 })
  expect(outcome).toMatchObject({ kind: 'done', result: { unlinked: false } })
  await world.sim('DELETE', '/faults')
  const again = await world.edge.performAction(instance, 'session.connect', KIND)
  expect(again).toMatchObject({ kind: 'done', result: { pairing: { method: 'qr' } } })
})

test('disconnecting a session that waits for its next attempt cancels the attempt', async () => {
  const { number, instance } = await linkPhone()
  await causeFault({ kind: 'unreachable', number })
  await world.edge.performAction(instance, 'session.restart', KIND)
  const outcome = await world.edge.performAction(instance, 'session.disconnect', {})
  expect(outcome).toMatchObject({
    kind: 'done',
    result: { unlinked: false, state: { status: 'disconnected', jid: '' } },
  })
  await world.sim('DELETE', '/faults')
  const again = await world.edge.performAction(instance, 'session.connect', KIND)
  expect(again).toMatchObject({ kind: 'done', result: { loggedIn: false, pairing: { method: 'qr' } } })
})

test('a pairing by code replaces one by QR, and one for another phone replaces it', async () => {
  const instance = crypto.randomUUID()
  const [one, other] = [await world.createPhone('5511700000051'), await world.createPhone('5511700000052')]
  const qr = await world.edge.performAction(instance, 'session.connect', KIND)
  expect(qr).toMatchObject({ kind: 'done', result: { pairing: { method: 'qr' } } })
  const first = await world.edge.performAction(instance, 'session.connect', { ...KIND, phone: one })
  const same = await world.edge.performAction(instance, 'session.connect', { ...KIND, phone: one })
  expect(first).toMatchObject({ kind: 'done', result: { pairing: { method: 'code' } } })
  expect(same).toEqual(first)
  const second = await world.edge.performAction(instance, 'session.connect', { ...KIND, phone: other })
  if (second.kind !== 'done' || second.result.pairing?.method !== 'code')
    throw new Error(JSON.stringify(second))
  await world.sim('POST', `/phones/${other}/code`, { code: second.result.pairing.code })
  expect(await world.waitUntilLoggedIn(instance)).toMatchObject({ jid: `${other}@s.msgnet.net` })
})

test('connect, restart and connect at the same time open one socket', async () => {
  const { number, instance } = await linkPhone()
  await Promise.all([
    world.edge.performAction(instance, 'session.restart', KIND),
    world.edge.performAction(instance, 'session.connect', KIND),
    world.edge.performAction(instance, 'session.connect', KIND),
  ])
  await until(() => world.findState(instance)?.loggedIn)
  const { companions } = await world.sim<{ companions: { online: boolean }[] }>('GET', `/phones/${number}`)
  expect(companions).toHaveLength(1)
  expect(
    world.edge.listStates(instance).some(({ lastDisconnectReason }) => lastDisconnectReason === 'replaced'),
  ).toBe(false)
})

test('a network whose certificate has another root is refused', async () => {
  const { instance } = await linkPhone()
  await world.restartHost({ network: { url: world.simulator.networkUrl, rootKey: randomBytes(32) } })
  await until(() => world.findState(instance)?.lastDisconnectReason === 'unreachable')
  const stranger = crypto.randomUUID()
  const outcome = await world.edge.performAction(stranger, 'session.connect', KIND)
  expect(outcome).toMatchObject({ kind: 'refused', fault: 'msgnet_unreachable' })
  await world.restartHost()
  await until(() => world.findState(instance)?.loggedIn, { within: 20_000 })
})
