// The lease as the host keeps it, by its own clock.

import { expect, test } from 'vitest'
import { makeLease } from '../../session-host/lease.ts'

/** As a process that stands still: no timer has a turn. */
function standStill(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('a lease that ended while no timer had a turn has ended for all who wait for it, before there is another', () => {
  const lease = makeLease()
  let ended = 0
  lease.onEnd(() => (ended += 1))
  expect(lease.grant(performance.now(), 12)).toBe(true)
  standStill(20)
  expect([lease.runs, ended]).toEqual([false, 0])
  expect(lease.grant(performance.now(), 60_000)).toBe(false)
  expect([lease.runs, ended]).toEqual([false, 1])
  expect(lease.grant(performance.now(), 60_000)).toBe(true)
  expect([lease.runs, ended]).toEqual([true, 1])
  lease.stop()
})

test('a beat that was answered late extends nothing', () => {
  const lease = makeLease()
  lease.grant(performance.now(), 12)
  const sent = performance.now()
  standStill(20)
  lease.extend(sent)
  expect(lease.runs).toBe(false)
  lease.stop()
})
