// The languages of the console: the catalogues say the same, and the browser's wish decides which of them is shown.

import { chooseLanguage } from '@msgnet/console/language.ts'
import { english } from '@msgnet/console/texts/english.ts'
import { portuguese } from '@msgnet/console/texts/portuguese.ts'
import { spanish } from '@msgnet/console/texts/spanish.ts'
import { describe, expect, test } from 'vitest'

/** Names, units, protocol words, and words that the languages share: these are right though they equal the English text. */
const SAME_IN_BOTH = new Set([
  'Admin',
  'Ana',
  'Audio',
  'Bruno',
  'Chat',
  'Chats',
  'English',
  'Español',
  'Error',
  'Gateway',
  'Host',
  'Hosts',
  'Id',
  'Latitude',
  'Longitude',
  'Menu',
  'Normal',
  'No',
  'Português',
  'Proxy',
  'QR code',
  'Status',
  'Sticker',
  'Token',
  'Tokens',
  'Total',
  'URL',
  'Webhook',
  'Webhooks',
  'id',
  'msgnet gateway',
])

const MARKS = [5, 6, 7, 8]

/** Every text under its path. A text with values is written out for several and for one of them, with its values as marks. */
function listTexts(value: unknown, path = ''): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value === 'function') {
    const written = [MARKS, MARKS.map(() => 1)].map((values) => value(...values))
    return written.flatMap((text, index) => listTexts(text, `${path}(${index ? 'one' : 'several'})`))
  }
  return Object.entries(value as object).flatMap(([key, each]) =>
    listTexts(each, path ? `${path}.${key}` : key),
  )
}

const listMarks = (text: string) => MARKS.filter((mark) => text.includes(String(mark)))
const englishTexts = new Map(listTexts(english))

describe.each([
  ['Portuguese', portuguese],
  ['Spanish', spanish],
])('%s', (_, catalogue) => {
  const translated = listTexts(catalogue)

  test('has exactly the texts that English has', () => {
    expect(translated.map(([path]) => path)).toEqual([...englishTexts.keys()])
  })

  test('writes each value of a text where English does', () => {
    const isWritten = ([path, text]: [string, string]) =>
      !/\(several\)/.test(path) || `${listMarks(text)}` === `${listMarks(englishTexts.get(path) ?? '')}`
    expect(translated.filter((each) => !isWritten(each))).toEqual([])
  })

  test('leaves no text empty, and none in English by accident', () => {
    const isLeft = ([path, text]: [string, string]) => {
      const original = englishTexts.get(path)
      if (!text) return original !== ''
      return text === original && /\p{L}{2}/u.test(text) && !SAME_IN_BOTH.has(text)
    }
    expect(translated.filter(isLeft)).toEqual([])
  })
})

test.each([
  [['pt-PT', 'en'], 'pt-BR', 'pt-PT'],
  [['fr', 'es-MX', 'en'], 'es', 'es-MX'],
  [['EN-GB'], 'en', 'EN-GB'],
  [['fr', 'de'], 'en', 'en'],
  [[], 'en', 'en'],
])('a browser that asks for %j gets %s', (preferred, language, locale) => {
  expect(chooseLanguage(preferred)).toEqual({ language, locale })
})
