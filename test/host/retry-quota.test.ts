// Undecryptable messages are requested again up to a quota per sender, which fills up with time.

import { RetryQuota } from '@msgnet/session-host/driver/baileys/connection/retry-quota.ts'
import { expect, test } from 'vitest'
import { MovableClock } from '../movable-clock.ts'

const createKey = (number: string, id: string) => ({ remoteJid: `${number}@s.whatsapp.net`, id })

test('a hundred retries at once and ten a minute are requested, and each sender has its own quota', async () => {
  const clock = new MovableClock()
  clock.holdTime()
  const quota = new RetryQuota(clock)
  const requestDecryption = (number: string, times: number) => {
    let allowed = 0
    for (let n = 0; n < times; n++) {
      quota.beginMessage(createKey(number, `ID${n}`))
      if (quota.allowRetry(`ID${n}`)) allowed += 1
    }
    return allowed
  }
  expect(requestDecryption('5511900000001', 300)).toBe(100)
  expect(requestDecryption('5511900000002', 5)).toBe(5)
  // One more than a minute, because the times of this clock are no whole numbers.
  await clock.moveTime(60_001)
  expect(requestDecryption('5511900000001', 300)).toBe(10)
  await clock.moveTime(3_600_000)
  expect(requestDecryption('5511900000001', 300)).toBe(100)
})

test('messages that were not decrypted share one quota', () => {
  const quota = new RetryQuota(new MovableClock())
  quota.beginMessage(createKey('5511900000001', 'ID'))
  const allowed = Array.from({ length: 150 }, (_, n) => quota.allowRetry(`OTHER${n}`)).filter(Boolean)
  expect(allowed).toHaveLength(100)
  expect(quota.allowRetry('ID')).toBe(true)
})
