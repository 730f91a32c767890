// Sockets that only look open, and a network that disconnects a device again and again: replaced in time, and not too often.
// @module-tag slow

import { SECOND } from '@msgnet/shared/date-time.ts'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { createTextInput, startWorld, type World } from './world.ts'

const BEN = '5511710000001@s.msgnet.net'
let world: World
let numbers = 5511810000000

beforeAll(async () => {
  world = await startWorld()
  await world.createPhone('5511710000001', 'Ben')
})
afterEach(async () => {
  world.clock.releaseTime()
  await world.sim('DELETE', '/faults')
})
afterAll(() => world.close())

const causeFault = (body: object) => world.sim('POST', '/faults', body)

async function linkPhone() {
  const number = String(++numbers)
  return { number, instance: await world.linkPhone(number) }
}

async function listLoginTimes(number: string): Promise<number[]> {
  const { entries } = await world.sim<{ entries: { what: string; at: number }[] }>(
    'GET',
    `/log?number=${number}`,
  )
  return entries.filter(({ what }) => what === 'login').map(({ at }) => at)
}
const countLogins = async (number: string) => (await listLoginTimes(number)).length

test('logins of one device are at least a second apart', async () => {
  const { number } = await linkPhone()
  for (let sent = 0; sent < 3; sent += 1) {
    const before = await countLogins(number)
    await causeFault({ kind: 'close', code: 515, number })
    await until(async () => (await countLogins(number)) > before, { within: 20_000 })
  }
  // The first of all follows the pairing, which was no login.
  const times = await listLoginTimes(number)
  const gaps = times.slice(1).map((at, n) => at - (times[n] ?? 0))
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(950)
})

test('a socket on which no send is acknowledged is replaced, without logging out', async () => {
  const { number, instance } = await linkPhone()
  const before = await countLogins(number)
  const quiet = '5511700000097'
  await world.sim('POST', '/phones', { number: quiet, autoReceipt: false })
  await causeFault({ kind: 'silent', tag: 'message', number })
  const sendText = (words: string, budget: number) =>
    world.edge.performAction(instance, 'message.sendText', createTextInput(`${quiet}@s.msgnet.net`, words), {
      budget,
    })
  for (const words of ['one', 'two', 'three']) {
    const outcome = await sendText(words, 800)
    expect(outcome.kind).toBe('unknown')
  }
  // One that could not even be written in its time counts for nothing: a slow machine needs some more.
  await until(async () => (await countLogins(number)) > before || void (await sendText('more', 3000)), {
    within: 30_000,
  })
  await world.sim('DELETE', '/faults')
  await until(() => world.findState(instance)?.loggedIn)
  const outcome = await world.edge.performAction(
    instance,
    'message.sendText',
    createTextInput(BEN, 'at last'),
  )
  expect(outcome.kind).toBe('done')
})

test('a socket with occasional frames stays open', async () => {
  const { number, instance } = await linkPhone()
  const before = await countLogins(number)
  world.clock.holdTime()
  for (const round of [1, 2, 3, 4, 5, 6]) {
    await world.clock.moveTime(10 * SECOND)
    await world.sim('POST', '/messages', { from: '5511710000001', to: number, text: 'still here' })
    await until(() => world.edge.listEvents(instance, 'messages').length >= round)
  }
  expect(await countLogins(number)).toBe(before)
})

test('a half-open socket is replaced within half a minute, without logging out', async () => {
  const { number, instance } = await linkPhone()
  const before = await countLogins(number)
  world.clock.holdTime()
  const statesBefore = world.edge.listStates(instance).length
  await causeFault({ kind: 'half_open', number, count: 1 })
  // It may be connected again before the test looks.
  const listNewStates = () => world.edge.listStates(instance).slice(statesBefore)
  await world.clock.moveTime(30 * SECOND - 1)
  await until(() => listNewStates().some(({ status }) => status === 'connecting'))
  world.clock.releaseTime()
  await world.sim('DELETE', '/faults')
  await until(async () => (await countLogins(number)) > before)
  expect((await world.sim<{ companions: unknown[] }>('GET', `/phones/${number}`)).companions).toHaveLength(1)
  await until(() => world.findState(instance)?.loggedIn)
})
