// Undecryptable messages are asked for again up to a quota of each sender, which fills up with time.

import { expect, test } from 'vitest'
import { makeRetryQuota } from '../../session-host/driver/baileys/connection/retry-quota.ts'
import { movableClock } from '../movable-clock.ts'

const from = (number: string, id: string) => ({ remoteJid: `${number}@s.whatsapp.net`, id })

test('a hundred at once and ten a minute are asked for, and one sender takes nothing from another', async () => {
  const clock = movableClock()
  clock.hold()
  const quota = makeRetryQuota(clock)
  const ask = (number: string, times: number) => {
    let allowed = 0
    for (let n = 0; n < times; n++) {
      quota.decrypting(from(number, `ID${n}`))
      if (quota.take(`ID${n}`)) allowed += 1
    }
    return allowed
  }
  expect(ask('5511900000001', 300)).toBe(100)
  expect(ask('5511900000002', 5)).toBe(5)
  await clock.move(60_000)
  expect(ask('5511900000001', 300)).toBe(10)
  await clock.move(3_600_000)
  expect(ask('5511900000001', 300)).toBe(100)
})

test('messages that were not even decrypted share one quota', () => {
  const quota = makeRetryQuota(movableClock())
  quota.decrypting(from('5511900000001', 'ID'))
  const allowed = Array.from({ length: 150 }, (_, n) => quota.take(`OTHER${n}`)).filter(Boolean)
  expect(allowed).toHaveLength(100)
  expect(quota.take('ID')).toBe(true)
})
