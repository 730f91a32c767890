// Rates of addresses: anybody with a network of IPv6 has as many of them as they like.

import { AddressRates } from '@msgnet/edge/limits/address-rates.ts'
import { MINUTE } from '@msgnet/shared/date-time.ts'
import { afterEach, expect, test, vi } from 'vitest'

const once = { burst: 1, refill: 1, everyMs: MINUTE }

afterEach(() => vi.restoreAllMocks())

test('an address costs the same, however many others were there in this minute', () => {
  const rates = new AddressRates(once)
  const now = vi.spyOn(Date, 'now')
  for (let n = 0; n < 2000; n++) expect(rates.acquire(`198.51.100.${n}`)).toBe(0)
  expect(now.mock.calls.length).toBeLessThan(2000 * 5)
})

test('ten thousand addresses are remembered: those that were there last', () => {
  const rates = new AddressRates(once)
  for (const address of ['known', 'forgotten']) rates.acquire(address)
  for (let n = 0; n < 9998; n++) rates.acquire(`other ${n}`)
  expect(rates.acquire('known')).toBeGreaterThan(0)
  for (let n = 0; n < 9; n++) rates.acquire(`another ${n}`)
  expect([rates.acquire('known') > 0, rates.acquire('other 9997') > 0]).toEqual([true, true])
  expect(rates.acquire('forgotten')).toBe(0)
})
