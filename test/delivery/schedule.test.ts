// When a failed delivery is tried again.

import { computeRetryDelay, parseRetryAfter } from '@msgnet/edge/delivery/retry-delay.ts'
import { DAY, HOUR, MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import { expect, test } from 'vitest'

const pickMiddle = () => 0.5

test('an event is tried twelve times: at once, then after the agreed waits', () => {
  const waits = Array.from({ length: 12 }, (_, failed) => computeRetryDelay(failed + 1, 0, pickMiddle))
  const agreed = [
    5 * SECOND,
    30 * SECOND,
    2 * MINUTE,
    10 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
  ]
  expect(waits).toEqual([...agreed, undefined])
})

test('each wait has up to a fifth of jitter either way', () => {
  expect(computeRetryDelay(1, 0, () => 0)).toBe(4 * SECOND)
  expect(computeRetryDelay(1, 0, () => 1)).toBe(6 * SECOND)
})

test('Retry-After makes the next attempt later, never sooner', () => {
  expect(computeRetryDelay(1, 20 * SECOND, pickMiddle)).toBe(20 * SECOND)
  expect(computeRetryDelay(2, SECOND, pickMiddle)).toBe(30 * SECOND)
})

test('Retry-After does not retry an event after its last attempt', () => {
  expect(computeRetryDelay(12, SECOND, pickMiddle)).toBeUndefined()
})

test('Retry-After is read as seconds or as a date and held within a second and a day', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  expect(parseRetryAfter('120', now)).toBe(120 * SECOND)
  expect(parseRetryAfter('Thu, 01 Jan 2026 00:01:00 GMT', now)).toBe(MINUTE)
  expect(parseRetryAfter('0', now)).toBe(SECOND)
  expect(parseRetryAfter('Wed, 31 Dec 2025 00:00:00 GMT', now)).toBe(SECOND)
  expect(parseRetryAfter('99999999999', now)).toBe(DAY)
  expect(parseRetryAfter('soon', now)).toBe(0)
  expect(parseRetryAfter(null, now)).toBe(0)
})
