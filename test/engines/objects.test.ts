// The objects of the Node engine: one of a name, one alarm each, and nothing left of those that have forgotten everything.

import { Courier } from '@msgnet/edge/delivery/courier.ts'
import { SoonestAlarm } from '@msgnet/edge/delivery/soonest-alarm.ts'
import { ObjectRegistry } from '@msgnet/edge/node/process-objects.ts'
import type { ObjectState } from '@msgnet/edge/runtime/runtime.ts'
import type { Env } from '@msgnet/edge/settings/env.ts'
import { limits } from '@msgnet/shared/contract/limits.ts'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../until.ts'

class Ringing {
  readonly state: ObjectState
  rang = 0
  fails = false

  constructor(state: ObjectState) {
    this.state = state
  }

  async alarm(): Promise<void> {
    this.rang++
    if (this.fails) throw new Error('not now')
  }
}

const createObjects = () => new ObjectRegistry({ LOG_LEVEL: 'error' }, (state) => new Ringing(state))

test('an object is created once for a name, and its stored values stay', async () => {
  const objects = createObjects()
  const { object } = objects.getOrCreate('one')
  await object.state.storage.put('key', 7)
  expect(objects.getOrCreate('one').object).toBe(object)
  expect(await objects.getOrCreate('one').object.state.storage.get('key')).toBe(7)
  expect(await objects.getOrCreate('two').object.state.storage.get('key')).toBeUndefined()
})

test('an alarm runs once, at the time that was set last', async () => {
  const { object } = createObjects().getOrCreate('one')
  await object.state.storage.setAlarm(Date.now() + 3_600_000)
  await object.state.storage.setAlarm(Date.now() + 5)
  await until(() => object.rang === 1)
  expect(await object.state.storage.getAlarm()).toBeNull()
})

/** `fails` says of which alarm the storage is away. */
function createAlarm(fails: (at: number) => boolean) {
  const { storage } = createObjects().getOrCreate('one').object.state
  const alarm = new SoonestAlarm({
    get: (key) => storage.get(key),
    put: (key, value) => storage.put(key, value),
    getAlarm: () => storage.getAlarm(),
    setAlarm: (at) => (fails(at) ? Promise.reject(new Error('storage is away')) : storage.setAlarm(at)),
    deleteAlarm: () => storage.deleteAlarm(),
    deleteAll: () => storage.deleteAll(),
  })
  return { storage, alarm }
}

test('an alarm that could not be set is set by the next call, also for a later time', async () => {
  const soon = Date.now() + 3_600_000
  const { storage, alarm } = createAlarm((at) => at === soon)
  await expect(alarm.setNotLater('one', soon)).rejects.toThrow('storage is away')
  await alarm.setNotLater('one', soon + 1000)
  expect(await storage.getAlarm()).toBe(soon + 1000)
})

test('an alarm that is set stays while a sooner one cannot be set', async () => {
  const soon = Date.now() + 3_600_000
  const { storage, alarm } = createAlarm((at) => at === soon)
  await alarm.setNotLater('one', soon + 1000)
  await expect(alarm.setNotLater('one', soon)).rejects.toThrow('storage is away')
  await alarm.setNotLater('one', soon + 2000)
  expect(await storage.getAlarm()).toBe(soon + 1000)
})

test('an alarm that is deleted, or stopped with all others, does not run', async () => {
  const objects = createObjects()
  const [one, two, three] = ['one', 'two', 'three'].map((name) => objects.getOrCreate(name).object) as [
    Ringing,
    Ringing,
    Ringing,
  ]
  const soon = Date.now() + 5
  await one.state.storage.setAlarm(soon)
  await one.state.storage.deleteAlarm()
  await two.state.storage.setAlarm(soon)
  objects.stopAlarms()
  await three.state.storage.setAlarm(soon)
  await until(() => three.rang === 1)
  expect([one.rang, two.rang]).toEqual([0, 0])
})

test('an alarm that fails is set again', async () => {
  const objects = createObjects()
  onTestFinished(() => objects.stopAlarms())
  const { object } = objects.getOrCreate('one')
  object.fails = true
  await object.state.storage.setAlarm(Date.now())
  await until(() => object.rang === 1)
  expect(await until(() => object.state.storage.getAlarm())).toBeGreaterThan(Date.now())
})

test('an object that has deleted all its values is removed', async () => {
  const objects = createObjects()
  const { object } = objects.getOrCreate('one')
  await object.state.storage.put('key', 7)
  await object.state.storage.deleteAll()
  expect(objects.getOrCreate('one').object).not.toBe(object)
})

test('tests of webhooks that come at once are each counted', async () => {
  const couriers = new ObjectRegistry({ LOG_LEVEL: 'error' }, (state) => new Courier(state, {} as Env))
  const { object } = couriers.getOrCreate('one')
  const waits = await Promise.all(Array.from({ length: 40 }, () => object.countTest()))
  expect(waits.filter((wait) => wait === 0)).toHaveLength(limits.maxWebhookTestsPerMinute)
})
