// The limits of what a stranger sends: texts and lists are cut, ids and flags are not.

import { emptyMessage } from '@msgnet/shared/contract/message-requests.ts'
import { truncateText, truncateToLimits } from '@msgnet/shared/truncation.ts'
import { expect, test } from 'vitest'

const KIB = 1024
const countBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
const createRecord = (text: string, content = {}) => ({
  ...emptyMessage,
  id: 'o:1',
  owner: 'o',
  text,
  content,
})

test('a value within the limits is answered unchanged', () => {
  for (const value of [
    createRecord('hello'),
    createRecord('x'.repeat(200 * KIB)),
    createRecord('ü'.repeat(100 * KIB)),
  ]) {
    const { value: stored, truncated } = truncateToLimits(value)
    expect(truncated).toBe(false)
    expect(stored).toBe(value)
  }
})

test.each([
  ['letters', 'x', 256 * KIB],
  ['letters of three bytes', '漢', 256 * KIB],
  ['emoji', '😀', 256 * KIB],
  ['quotes, which are two bytes in JSON', '"', 256 * KIB],
])('8 million %s are cut to 256 KiB of UTF-8, at the end of a character', (_, one, max) => {
  const { value, truncated } = truncateToLimits(createRecord(one.repeat(8_000_000)))
  expect(truncated).toBe(true)
  expect(Buffer.byteLength(value.text)).toBeGreaterThan(max * 0.98)
  expect(Buffer.byteLength(value.text)).toBeLessThanOrEqual(max)
  expect(value.text.isWellFormed()).toBe(true)
  expect(value).toMatchObject({ id: 'o:1', owner: 'o' })
})

test('control characters, which take six bytes in JSON, are cut to what a frame holds', () => {
  const { value, truncated } = truncateToLimits(createRecord('\u0001'.repeat(8_000_000)))
  expect(truncated).toBe(true)
  expect(countBytes(value)).toBeGreaterThan(500 * KIB)
  expect(countBytes(value)).toBeLessThan(514 * KIB)
})

test('many small fields are limited together', () => {
  const contacts = Array.from({ length: 1000 }, (_, n) => ({ name: `n${n}`, vcard: 'v'.repeat(2000) }))
  const { value, truncated } = truncateToLimits(createRecord('a card', { contacts }))
  expect(truncated).toBe(true)
  expect(countBytes(value)).toBeLessThan(300 * KIB)
  expect(value.text).toBe('a card')
  expect((value.content as { contacts: object[] }).contacts[0]).toEqual(contacts[0])
})

test('a list of a million empty items is cut', () => {
  const contacts = Array.from({ length: 1_000_000 }, () => ({ name: '', vcard: '' }))
  const { value, truncated } = truncateToLimits(createRecord('', { contacts }))
  expect(truncated).toBe(true)
  expect(countBytes(value)).toBeLessThan(520 * KIB)
})

test('a name is cut to its limit in bytes', () => {
  expect(truncateText('short', 1024)).toBe('short')
  expect(truncateText('é'.repeat(1000), 1024)).toBe('é'.repeat(512))
})
