// How much of what a stranger sends is kept: texts and lists are cut, ids and flags are not.

import { expect, test } from 'vitest'
import { bounded, boundedText } from '../../shared/bounds.ts'
import { emptyMessage } from '../../shared/contract/message.ts'

const KIB = 1024
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
const record = (text: string, content = {}) => ({ ...emptyMessage, id: 'o:1', owner: 'o', text, content })

test('what fits is the very same value', () => {
  for (const value of [record('hello'), record('x'.repeat(200 * KIB)), record('ü'.repeat(100 * KIB))]) {
    const { value: kept, truncated } = bounded(value)
    expect(truncated).toBe(false)
    expect(kept).toBe(value)
  }
})

test.each([
  ['letters', 'x', 256 * KIB],
  ['letters of three bytes', '漢', 256 * KIB],
  ['emoji', '😀', 256 * KIB],
  ['quotes, which are two bytes in JSON', '"', 256 * KIB],
])('of 8 million %s 256 KiB of UTF-8 are kept, to the end of a character', (_, one, most) => {
  const { value, truncated } = bounded(record(one.repeat(8_000_000)))
  expect(truncated).toBe(true)
  expect(Buffer.byteLength(value.text)).toBeGreaterThan(most * 0.98)
  expect(Buffer.byteLength(value.text)).toBeLessThanOrEqual(most)
  expect(value.text.isWellFormed()).toBe(true)
  expect(value).toMatchObject({ id: 'o:1', owner: 'o' })
})

test('control characters take six bytes in JSON: of them as many are kept as a frame holds', () => {
  const { value, truncated } = bounded(record('\u0001'.repeat(8_000_000)))
  expect(truncated).toBe(true)
  expect(bytes(value)).toBeGreaterThan(500 * KIB)
  expect(bytes(value)).toBeLessThan(514 * KIB)
})

test('many fields that are each small are bounded together', () => {
  const contacts = Array.from({ length: 1000 }, (_, n) => ({ name: `n${n}`, vcard: 'v'.repeat(2000) }))
  const { value, truncated } = bounded(record('a card', { contacts }))
  expect(truncated).toBe(true)
  expect(bytes(value)).toBeLessThan(300 * KIB)
  expect(value.text).toBe('a card')
  expect((value.content as { contacts: object[] }).contacts[0]).toEqual(contacts[0])
})

test('a list of a million empty things is bounded too', () => {
  const contacts = Array.from({ length: 1_000_000 }, () => ({ name: '', vcard: '' }))
  const { value, truncated } = bounded(record('', { contacts }))
  expect(truncated).toBe(true)
  expect(bytes(value)).toBeLessThan(520 * KIB)
})

test('a name is cut to its bytes', () => {
  expect(boundedText('short', 1024)).toBe('short')
  expect(boundedText('é'.repeat(1000), 1024)).toBe('é'.repeat(512))
})
