// Prints the table of a source's accounts, and what has become of each.

import { styleText } from 'node:util'
import type { MoveResult } from './move-account.ts'
import type { MovingAccount } from './moving-source.ts'

/** Names are another program's: they must not steer the terminal. */
const clean = (text: string): string => text.replaceAll(/\p{Cc}/gu, '?')

const HEAD = ['Name', 'Number', 'Device', 'Rows', 'Last use', 'State']

export function printAccounts(accounts: readonly { account: MovingAccount; state: string }[]): void {
  const rows = accounts.map(({ account: { name, number, device, rows, lastUse }, state }) => [
    clean(name),
    number || '-',
    device || '-',
    String(rows),
    lastUse ? lastUse.toISOString().slice(0, 16).replace('T', ' ') : '-',
    clean(state),
  ])
  const widths = HEAD.map((_, at) => Math.max(...[HEAD, ...rows].map((row) => row[at]?.length ?? 0)))
  const format = (row: string[]) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd()
  console.log(styleText('bold', format(HEAD)))
  for (const row of rows) console.log(format(row))
}

export const printProgress = (name: string, text: string): void =>
  console.log(`${clean(name)}: ${clean(text)}`)

export function printReport(results: readonly MoveResult[], logPath: string): void {
  const [moved, failed] = [
    results.filter(({ failure }) => !failure),
    results.filter(({ failure }) => failure),
  ]
  console.log(styleText('bold', `\n${moved.length} moved, ${failed.length} not.`))
  for (const { account, failure } of failed) printProgress(account.name, String(failure))
  const left = results.filter(({ failure, notes }) => !failure && notes.length > 0)
  if (left.length > 0) console.log('\nNot brought along:')
  for (const { account, notes } of left) printProgress(account.name, notes.join('; '))
  if (moved.length > 0)
    console.log(`\nThe tokens of the instances are in ${logPath}, which nobody else may read.`)
}
