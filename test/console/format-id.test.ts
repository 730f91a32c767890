// How the console writes numbers, and that a search finds them as they are typed.

import { hasWords } from '@msgnet/console/fold-text.ts'
import { formatId } from '@msgnet/console/format-id.ts'
import { expect, test } from 'vitest'

test.each([
  ['4915123456789', '+49 151 234 567 89'],
  ['5511987654321', '+55 11 98765-4321'],
  ['551133334444', '+55 11 3333-4444'],
  ['12025550123', '+1 202 555-0123'],
  ['351912345678', '+351 912 345 678'],
  ['34612345678', '+34 612 345 678'],
])('the number %s is written with its country code apart', (digits, written) => {
  expect(formatId(`${digits}@s.msgnet.net`)).toBe(written)
  expect(hasWords(written, digits)).toBe(true)
  expect(hasWords(written, `+${digits.slice(0, 6)}`)).toBe(true)
  expect(hasWords(written, `9${digits}`)).toBe(false)
})

test('other ids stay as they are', () => {
  expect(formatId('1203630@g.us')).toBe('1203630@g.us')
  expect(formatId('888@lid')).toBe('888@lid')
})
