// `npm run translations`, after a change of an English page: its translations say that they are older, and a table lists all of them.
// With `--done PAGE` the translation PAGE counts as made of the English text of now.

import { writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs, styleText } from 'node:util'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { runCommand } from '@msgnet/shared/node/run-command.ts'
import { projectRoot } from './build/root.ts'
import { findDifferences } from './translations/page-code.ts'
import {
  isOlder,
  listTranslations,
  recordDigest,
  type Translation,
  updateText,
} from './translations/translation.ts'

const options = { done: { type: 'string', multiple: true, default: [] as string[] } } as const

function updateTranslations(): void {
  const { values } = parseArgs({ options })
  const done = values.done.map((page) => relative(projectRoot, resolve(page)))
  const found = listTranslations(projectRoot)
  const unknown = done.filter((path) => !found.some((translation) => translation.path === path))
  if (unknown.length > 0) throw new OperatorError(`No translation is ${unknown.join(', ')}.`)
  const translations = found.map((translation) =>
    done.includes(translation.path) ? finish(translation) : translation,
  )
  for (const translation of translations)
    writeFileSync(join(projectRoot, translation.path), updateText(translation))
  const rows = translations.map((translation) => [
    translation.path,
    translation.source,
    describeState(translation),
  ])
  printTable(['Page', 'English page', 'State'], rows)
}

/** A page that has other code than the English one is not finished. */
function finish(translation: Translation): Translation {
  const { path, english } = translation
  const finished = recordDigest(translation)
  const differences = findDifferences(english, updateText(finished))
  if (differences.length > 0) throw new OperatorError(`${path} is not done: ${differences.join('; ')}.`)
  return finished
}

function describeState(translation: Translation): string {
  if (isOlder(translation)) return 'older: it says so below its title'
  return findDifferences(translation.english, updateText(translation)).join('; ') || 'up to date'
}

function printTable(head: string[], rows: string[][]): void {
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0)))
  const format = (row: string[]) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd()
  console.log(styleText('bold', format(head)))
  for (const row of rows) console.log(format(row))
}

await runCommand(updateTranslations)
