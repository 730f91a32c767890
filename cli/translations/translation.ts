// A translated page: its first line names the English page and the digest of the text that the translation was made of.

import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { replaceBlocks } from './page-code.ts'

/** The folders of the translations, each with what its pages say when they are older than the English ones. */
const NOTICES = {
  pt: 'A página em inglês é mais recente do que esta tradução',
  es: 'La página en inglés es más reciente que esta traducción',
}
type Language = keyof typeof NOTICES
export const languages = Object.keys(NOTICES) as Language[]

const FIRST_LINE = /^<!-- Translation of (\S+), digest ([0-9a-f]{16}) -->\n/

export interface Translation {
  /** Paths from the project's root. */
  path: string
  source: string
  language: Language
  text: string
  english: string
  /** The digest of the English text that it was made of. */
  digest: string
}

export const listTranslations = (root: string): Translation[] =>
  languages.flatMap((language) =>
    readdirSync(join(root, 'docs', language))
      .filter((name) => name.endsWith('.md'))
      .sort()
      .map((name) => readTranslation(root, language, name)),
  )

function readTranslation(root: string, language: Language, name: string): Translation {
  const path = `docs/${language}/${name}`
  const text = readFileSync(join(root, path), 'utf8')
  const [, source = '', digest = ''] = FIRST_LINE.exec(text) ?? []
  if (!source || !existsSync(join(root, source)))
    throw new OperatorError(
      `The first line of ${path} must be "<!-- Translation of PAGE, digest ${'0'.repeat(16)} -->", with an English page.`,
    )
  return { path, source, language, text, english: readFileSync(join(root, source), 'utf8'), digest }
}

const computeDigest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

export const isOlder = ({ english, digest }: Translation): boolean => computeDigest(english) !== digest

/** As made of the English text of now. */
export function recordDigest(translation: Translation): Translation {
  const { source, text, english } = translation
  const digest = computeDigest(english)
  const first = `<!-- Translation of ${source}, digest ${digest} -->\n`
  return { ...translation, digest, text: text.replace(FIRST_LINE, first) }
}

/** An older page says so below its title, and has the code blocks of the English one, where there are as many; another does not. */
export function updateText(translation: Translation): string {
  const { path, source, language, text, english } = translation
  const begin = `\n> **${NOTICES[language]}:**`
  const plain = text
    .split('\n\n')
    .filter((paragraph) => !`\n${paragraph}`.startsWith(begin))
    .join('\n\n')
  if (!isOlder(translation)) return plain
  const link = `[${source}](${relative(dirname(path), source)})`
  return replaceBlocks(plain, english).replace(/^# .+\n/m, (title) => `${title}${begin} ${link}\n`)
}
