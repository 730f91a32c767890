// The meter behind every quota, on a clock of the test's own.

import { createSendRate, webhookTests } from '@msgnet/edge/limits/quotas.ts'
import { type Rate, RateLimiter } from '@msgnet/shared/rate-limiter.ts'
import { expect, test } from 'vitest'

function createMeter(rate: Rate, options?: ConstructorParameters<typeof RateLimiter>[2]) {
  const clock = { now: 1_000_000 }
  return { clock, meter: new RateLimiter(rate, () => clock.now, options) }
}

const countTaken = (meter: { acquire(): number }, tries: number) =>
  Array.from({ length: tries }, () => meter.acquire()).filter((wait) => wait === 0).length

test('a hundred a second allows two hundred at once, then one each ten milliseconds', () => {
  const { clock, meter } = createMeter(createSendRate(100) as Rate)
  expect(countTaken(meter, 300)).toBe(200)
  expect(meter.acquire()).toBe(10)
  clock.now += 9
  expect(meter.acquire()).toBe(1)
  clock.now += 1
  expect([meter.acquire(), meter.acquire()]).toEqual([0, 10])
  clock.now += 1000
  expect(countTaken(meter, 300)).toBe(100)
  expect(meter.isFull).toBe(false)
  clock.now += 2000
  expect(meter.isFull).toBe(true)
  expect(createSendRate(0)).toBeUndefined()
})

test('thirty a minute is never exceeded within a minute, also by a restored limiter', () => {
  const { clock, meter } = createMeter(webhookTests)
  expect(countTaken(meter, 10)).toBe(10)
  clock.now += 59_000
  expect(countTaken(meter, 30)).toBe(20)
  const again = new RateLimiter(webhookTests, () => clock.now, meter.state)
  expect(again.acquire()).toBe(1000)
  clock.now += 1000
  expect(countTaken(again, 40)).toBe(30)
})

test('unused requests do not accumulate, and a clock that is set back removes nothing', () => {
  const { clock, meter } = createMeter({ burst: 2, everyMs: 1000 })
  clock.now += 3_600_000
  expect(countTaken(meter, 5)).toBe(2)
  clock.now -= 60_000
  expect(meter.acquire()).toBeGreaterThan(0)
})

test('after a clock was set back, the wait is no longer than it was', () => {
  const { clock, meter } = createMeter({ burst: 2, everyMs: 1000 })
  expect(countTaken(meter, 5)).toBe(2)
  clock.now -= 3_600_000
  expect(meter.acquire()).toBe(1000)
  clock.now += 1000
  expect(meter.acquire()).toBe(0)
})

test('what is taken in advance is waited for by the next one', () => {
  const { clock, meter } = createMeter({ burst: 2, everyMs: 1000 })
  expect(meter.acquire(5)).toBe(0)
  expect([meter.acquire(), meter.acquire(3)]).toEqual([4000, 4000])
  clock.now += 3999
  expect(meter.acquire()).toBe(1)
  clock.now += 1
  expect(meter.acquire()).toBe(0)
})
