// Mentions in texts: found by the digits of an id in any spelling, and shown as names.

import { showMentionedNames } from '@msgnet/shared/mention-names.ts'
import { addAllWord, replaceMentions } from '@msgnet/shared/mention-words.ts'
import { expect, test } from 'vitest'

const words = new Map([
  ['491701234567', '118003327764'],
  ['5511987654321', '223344556677'],
])

test.each([
  ['@491701234567', '@118003327764'],
  ['hi @491701234567!', 'hi @118003327764!'],
  ['@491701234567 12 and @5511987654321', '@118003327764 12 and @223344556677'],
  ['@+49 (170) 123-45.67 come', '@118003327764 come'],
  ['@+55 11 98765-4321', '@223344556677'],
  // Another number, which only begins alike.
  ['@4917012345678', '@4917012345678'],
  ['@49170123456', '@49170123456'],
  ['491701234567 without a sign', '491701234567 without a sign'],
  ['mail@example.org', 'mail@example.org'],
  ['', ''],
])('in %j the mentions become %j', (text, expected) => {
  expect(replaceMentions(text, words)).toBe(expected)
})

test.each([
  ['', '@all'],
  ['come', 'come @all'],
  ['@all come', '@all come'],
  ['come, @ALL!', 'come, @ALL!'],
  ['@allow', '@allow @all'],
])('%j with all members mentioned is %j', (text, expected) => {
  expect(addAllWord(text)).toBe(expected)
})

test('a person is shown by name, or else by number, or else as in the text', () => {
  const people = [
    { jid: '491701234567@s.msgnet.net', lid: '118003327764@lid', name: 'Ana' },
    { jid: '5511987654321@s.msgnet.net', lid: '223344556677@lid', name: '' },
    { jid: '', lid: '334455667788@lid', name: '' },
  ]
  const text = '@118003327764 @491701234567 @223344556677 @334455667788'
  expect(showMentionedNames(text, people)).toBe('@Ana @Ana @5511987654321 @334455667788')
})

test('a text of a million signs is read in no time', () => {
  const text = '@1 '.repeat(100_000) + '@+((((((((((((('.repeat(20_000) + '@123456789 '.repeat(40_000)
  const began = performance.now()
  expect(replaceMentions(text, words)).toBe(text)
  expect(performance.now() - began).toBeLessThan(1000)
})
