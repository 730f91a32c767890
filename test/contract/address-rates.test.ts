// Rates of addresses: anybody with a network of IPv6 has as many of them as they like.

import { LinkRates } from '@msgnet/edge/http/link-rates.ts'
import { countRequest, rejectExhausted } from '@msgnet/edge/http/token-rates.ts'
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

test('a clock that is set back makes nobody wait for longer than a minute', () => {
  const rates = new LinkRates()
  const c = { env: {}, executionCtx: { peerAddress: '198.51.100.1:9' } } as never
  const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now())
  for (let guess = 0; guess < 21; guess++) rates.countGuess(c)
  expect(() => rates.rejectGuesses(c, 'a secret')).toThrow('Too many attempts')
  now.mockReturnValue(Date.now() - 60 * MINUTE)
  expect(() => rates.rejectGuesses(c, 'a secret')).not.toThrow()
  rates.countGuess(c)
  expect(() => rates.rejectGuesses(c, 'a secret')).toThrow('Too many attempts')
})

test('a token that has used up its requests waits for no more than a minute after a clock was set back', () => {
  const c = { env: { REQUEST_RATE: '1' }, set: () => undefined } as never
  const actor = { kind: 'instance', id: 'one' } as never
  const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now())
  countRequest(c, actor, 'digest')
  expect(() => countRequest(c, actor, 'digest')).toThrow()
  expect(() => rejectExhausted(c, 'digest')).toThrow()
  now.mockReturnValue(Date.now() - 60 * MINUTE)
  expect(() => rejectExhausted(c, 'digest')).not.toThrow()
  expect(() => countRequest(c, actor, 'digest')).toThrow()
  now.mockReturnValue(Date.now() + MINUTE)
  expect(() => countRequest(c, actor, 'digest')).not.toThrow()
})
