// The translated pages: each says whether it is older than its English page, and has the same code, headings and figures.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { findDifferences } from '@msgnet/cli/translations/page-code.ts'
import {
  isOlder,
  languages,
  listTranslations,
  recordDigest,
  type Translation,
  updateText,
} from '@msgnet/cli/translations/translation.ts'
import { expect, test } from 'vitest'
import { root } from './sources.ts'

const translations = listTranslations(root)

test('each language has the same pages, and a way in of its own', () => {
  const listSources = (language: string) =>
    translations.filter((page) => page.language === language).map(({ source }) => source)
  for (const language of languages) expect(listSources(language)).toEqual(listSources('pt'))
  expect(listSources('pt')).toContain('README.md')
  for (const entrance of ['README.md', 'docs/README.md']) {
    const text = readFileSync(join(root, entrance), 'utf8')
    const linked = languages.filter((language) => text.includes(`${language}/README.md)`))
    expect(linked).toEqual(languages)
  }
})

test('a page that is older than its English one says so, and no other: `npm run translations` sees to it', () => {
  expect(translations.filter((page) => updateText(page) !== page.text).map(({ path }) => path)).toEqual([])
})

test('a page that is up to date has the headings, the code, the table rows and the figures of the English one', () => {
  const found = translations
    .filter((page) => !isOlder(page))
    .flatMap(({ path, english, text }) => findDifferences(english, text).map((one) => `${path} ${one}`))
  expect(found).toEqual([])
})

/** The anchors of the headings, as GitHub names them. */
const listAnchors = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )

const listLinks = ({ path, text }: Translation) =>
  [...text.matchAll(/\[([^\]]+)\]\((?!https?:)([^)\s#]*)(?:#([^)\s]+))?\)/g)].map(
    ([, label = '', target = '', anchor]) => ({
      path,
      label,
      target: target === '' ? path : normalize(join(dirname(path), target)),
      anchor,
    }),
  )
const links = translations.flatMap(listLinks)

test('each link leads to a page, and to a heading that it has', () => {
  const dead = links.filter(
    ({ target, anchor }) =>
      !existsSync(join(root, target)) ||
      (anchor && !listAnchors(readFileSync(join(root, target), 'utf8')).includes(anchor)),
  )
  expect(dead).toEqual([])
})

test('a link leads to the translated page where there is one', () => {
  const strays = links.filter(({ path, label, target }) => {
    const hasTranslation = translations.some(
      (page) => page.source === target && dirname(page.path) === dirname(path),
    )
    // The choice of the language, and the notice of an older page.
    return hasTranslation && label !== 'English' && label !== target
  })
  expect(strays).toEqual([])
})

const english =
  '# Send\n\nAt most 10,000.\n\n```sh\nnpm start\n```\n\n## Errors\n\n`npm run doctor` shows them.\n'
const text =
  '<!-- Translation of docs/send.md, digest 0000000000000000 -->\n# Enviar\n\nNo máximo 10.000.\n\n```sh\nnpm start\n```\n\n' +
  '## Erros\n\n`npm run doctor` os mostra.\n'
const page: Translation = recordDigest({
  path: 'docs/pt/send.md',
  source: 'docs/send.md',
  language: 'pt',
  digest: '',
  english,
  text,
})

test('a page whose English one has changed gets the notice and the new code, and loses the notice when it is done', () => {
  expect(updateText(page)).toBe(page.text)
  const older = { ...page, english: english.replace('npm start', 'npm run demo') }
  const noticed = updateText(older)
  expect(noticed).toContain(
    '# Enviar\n\n> **A página em inglês é mais recente do que esta tradução:** [docs/send.md](../send.md)\n\nNo máximo',
  )
  expect(noticed).toContain('```sh\nnpm run demo\n```')
  expect(updateText({ ...older, text: noticed })).toBe(noticed)
  const done = recordDigest({ ...older, text: noticed })
  expect(isOlder(done)).toBe(false)
  expect(updateText(done)).not.toContain('mais recente')
})

test('what a translation changed in code, headings or figures is found', () => {
  const find = (from: string, to: string) => findDifferences(english, page.text.replace(from, to))
  expect(find('', '')).toEqual([])
  expect(find('npm start', 'npm run start')).toEqual(['a code block differs'])
  expect(find('```sh\nnpm start\n```\n', '')).toEqual(['a code block is missing'])
  expect(find('## Erros', 'Erros')).toEqual(['its headings have the levels 1, the English ones 1 2'])
  expect(find('10.000', '1.000')).toEqual([
    '"Enviar" lacks the figure 10000',
    '"Enviar" has the figure 1000, which the English page has not',
  ])
  expect(find('`npm run doctor`', '`npm run doutor`')).toContain('"Erros" lacks the code npm run doctor')
})
