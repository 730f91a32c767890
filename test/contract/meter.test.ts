// The meter behind every quota, on a clock of the test's own.

import { expect, test } from 'vitest'
import { sendsAt, webhookTests } from '../../edge/quotas.ts'
import { makeMeter, type Rate } from '../../shared/meter.ts'

function metered(rate: Rate, kept?: Parameters<typeof makeMeter>[2]) {
  const clock = { now: 1_000_000 }
  return { clock, meter: makeMeter(rate, () => clock.now, kept) }
}

const taken = (meter: { take(): number }, tries: number) =>
  Array.from({ length: tries }, () => meter.take()).filter((wait) => wait === 0).length

test('a hundred a second: two hundred at once, then one each ten milliseconds, and the wait is told', () => {
  const { clock, meter } = metered(sendsAt(100) as Rate)
  expect(taken(meter, 300)).toBe(200)
  expect(meter.take()).toBe(10)
  clock.now += 9
  expect(meter.take()).toBe(1)
  clock.now += 1
  expect([meter.take(), meter.take()]).toEqual([0, 10])
  clock.now += 1000
  expect(taken(meter, 300)).toBe(100)
  expect(meter.full).toBe(false)
  clock.now += 2000
  expect(meter.full).toBe(true)
  expect(sendsAt(0)).toBeUndefined()
})

test('thirty a minute: never more within a minute of the first, also for a meter that is read back', () => {
  const { clock, meter } = metered(webhookTests)
  expect(taken(meter, 10)).toBe(10)
  clock.now += 59_000
  expect(taken(meter, 30)).toBe(20)
  const again = makeMeter(webhookTests, () => clock.now, meter.state)
  expect(again.take()).toBe(1000)
  clock.now += 1000
  expect(taken(again, 40)).toBe(30)
})

test('what was not used does not add up, and a clock that was set back takes nothing away', () => {
  const { clock, meter } = metered({ burst: 2, everyMs: 1000 })
  clock.now += 3_600_000
  expect(taken(meter, 5)).toBe(2)
  clock.now -= 60_000
  expect(meter.take()).toBeGreaterThan(0)
})
