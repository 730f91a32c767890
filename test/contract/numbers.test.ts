// Whom a `number` names, as people write it and as ids spell it (contract, "Chat"; open points, "Names and identifiers").

import { parseNumber, parsePhone } from '@msgnet/shared/jid.ts'
import { expect, test } from 'vitest'

test.each([
  ['5511999999999', '5511999999999@s.msgnet.net'],
  ['+55 (11) 99999-9999', '5511999999999@s.msgnet.net'],
  ['[55] 11.99999.9999', '5511999999999@s.msgnet.net'],
  ['+55 (0) 11 99999-9999', '5511999999999@s.msgnet.net'],
  ['+44(0)20 7946 0958', '442079460958@s.msgnet.net'],
  ['\u202a+55 11 99999-9999\u202c', '5511999999999@s.msgnet.net'],
  ['\u2066 5511999999999\u200e', '5511999999999@s.msgnet.net'],
  ['12345678', '12345678@s.msgnet.net'],
  ['123456789012345', '123456789012345@s.msgnet.net'],
  ['5511999999999@s.msgnet.net', '5511999999999@s.msgnet.net'],
  ['120363000000000000@g.us', '120363000000000000@g.us'],
  ['5511999999999-1600000000@g.us', '5511999999999-1600000000@g.us'],
  ['98765432101234@lid', '98765432101234@lid'],
])('%s is %s', (written, id) => {
  expect(parseNumber(written)).toBe(id)
})

test.each([
  '',
  '1234567',
  '1234567890123456',
  '0511999999999',
  '(0)11 99999-9999',
  '55119999x9999',
  '55/11999999999',
  '++5511999999999',
  '5511999999999@s.whatsapp.net',
  '5511999999999@c.us',
  'somebody@s.msgnet.net',
  '@g.us',
  'x@lid',
  '5511999999999@s.msgnet.net@g.us',
  'status@broadcast',
  '٥٥١١٩٩٩٩٩٩٩٩٩',
])('%j is no number or id', (written) => {
  expect(parseNumber(written)).toBeUndefined()
})

test('a phone to link is a number, never an id', () => {
  expect(parsePhone('+55 11 99999-9999')).toBe('5511999999999')
  for (const id of ['5511999999999@s.msgnet.net', '98765432101234@lid'])
    expect(parsePhone(id)).toBeUndefined()
})
