// The lease as the host keeps it, by its own clock.

import { Lease } from '@msgnet/session-host/process/lease.ts'
import { expect, test } from 'vitest'
import { MovableClock } from '../movable-clock.ts'

test('a lease that ended while the process was blocked is seen as ended before it is renewed', () => {
  const clock = new MovableClock()
  clock.holdTime()
  const lease = new Lease(clock)
  let ended = 0
  lease.onEnd(() => (ended += 1))
  expect(lease.grant(clock.now(), 12)).toBe(true)
  clock.standStill(20)
  expect([lease.runs, ended]).toEqual([false, 0])
  expect(lease.grant(clock.now(), 60_000)).toBe(false)
  expect([lease.runs, ended]).toEqual([false, 1])
  expect(lease.grant(clock.now(), 60_000)).toBe(true)
  expect([lease.runs, ended]).toEqual([true, 1])
  lease.stop()
})

test('a late answer to a heartbeat does not extend the lease', () => {
  const clock = new MovableClock()
  clock.holdTime()
  const lease = new Lease(clock)
  lease.grant(clock.now(), 12)
  const sent = clock.now()
  clock.standStill(20)
  lease.extend(sent)
  expect(lease.runs).toBe(false)
  lease.stop()
})
