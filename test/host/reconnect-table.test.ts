// The table of what follows when a socket has ended: each row of it holds, and the page that shows it says the same.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  attemptEndings,
  decideNext,
  findTransition,
  type Transition,
  transitions,
} from '@msgnet/session-host/sessions/reconnect-policy.ts'
import { expect, onTestFinished, test, vi } from 'vitest'

const PAGE = join(import.meta.dirname, '../../docs/code/reconnect.md')

const formatLimit = ({ fewerThan }: Transition) =>
  !fewerThan
    ? ''
    : 'alike' in fewerThan
      ? `< ${fewerThan.alike} of its kind`
      : `< ${fewerThan.failures} of any kind`

const rows = transitions.map((row) => ({
  row,
  limit: formatLimit(row),
  name: `${row.state} ${row.event} ${formatLimit(row)}`.trim(),
}))

/** The last of the endings in a row at which the row still counts; for one without a limit, far behind that of the one before. */
const countFailures = ({ fewerThan }: Transition) =>
  !fewerThan ? 99 : ('alike' in fewerThan ? fewerThan.alike : fewerThan.failures) - 1

test.each(rows)('$name', ({ row }) => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(1)
  onTestFinished(() => random.mockRestore())
  const count = countFailures(row)
  const longest = {
    connecting: 0,
    waiting: Math.min(60_000, 1000 * 2 ** count),
    waiting_for_store: 5000,
    waiting_for_version: 61 * 60_000,
  }
  const standing = { linked: row.state === 'linked', failures: count, alike: count }
  const ending = { kind: row.event, code: 0, message: '' }
  expect(findTransition(ending, standing)).toBe(row)
  const verdict = decideNext(ending, standing)
  const { next, reason, forget = false } = row
  if (next === 'ended') expect(verdict).toEqual({ do: 'end', reason, forget })
  else expect(verdict).toEqual({ do: 'retry', reason, afterMs: longest[next] })
})

test('every way of ending is in the table for both states, and its last row has no limit', () => {
  for (const state of ['linked', 'pairing'] as const) {
    for (const event of attemptEndings) {
      const own = transitions.filter((row) => row.state === state && row.event === event)
      expect(own.at(-1), `${state} ${event}`).toBeDefined()
      expect(own.at(-1)?.fewerThan).toBeUndefined()
      expect(own.slice(0, -1).every(({ fewerThan }) => fewerThan)).toBe(true)
    }
  }
})

test('the page shows the table', () => {
  const table = rows.map(
    ({ row: { state, event, next, reason, forget }, limit }) =>
      `| ${state} | \`${event}\` | ${limit} | ${next} | ${reason && `\`${reason}\``} | ${forget ? 'forgotten' : 'kept'} |`,
  )
  const shown = readFileSync(PAGE, 'utf8')
    .split('\n')
    .filter((line) => /^\| (linked|pairing) /.test(line))
  expect(shown).toEqual(table)
})
