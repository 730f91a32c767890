// The table of what follows when a socket has ended: each row of it holds, and the page that shows it says the same.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { closingKinds } from '../../session-host/driver/driver.ts'
import {
  judge,
  type Transition,
  transitionOf,
  transitions,
} from '../../session-host/sessions/reconnect-policy.ts'

const PAGE = join(import.meta.dirname, '../../docs/reconnect.md')

const limitOf = ({ fewerThan }: Transition) =>
  !fewerThan
    ? ''
    : 'alike' in fewerThan
      ? `< ${fewerThan.alike} of its kind`
      : `< ${fewerThan.failures} of any kind`

const rows = transitions.map((row) => ({
  row,
  limit: limitOf(row),
  name: `${row.state} ${row.event} ${limitOf(row)}`.trim(),
}))

/** The last of the endings in a row at which the row still counts; for one without a limit, far behind that of the one before. */
const countOf = ({ fewerThan }: Transition) =>
  !fewerThan ? 99 : ('alike' in fewerThan ? fewerThan.alike : fewerThan.failures) - 1

test.each(rows)('$name', ({ row }) => {
  const count = countOf(row)
  const standing = { linked: row.state === 'linked', failures: count, alike: count }
  const closing = { kind: row.event, code: 0, message: '' }
  expect(transitionOf(closing, standing)).toBe(row)
  const verdict = judge(closing, standing)
  const { next, reason, forget = false } = row
  if (next === 'ended') expect(verdict).toEqual({ do: 'end', reason, forget })
  else
    expect(verdict).toEqual({ do: 'retry', reason, afterMs: next === 'connecting' ? 0 : expect.any(Number) })
})

test('every way of ending is in the table for both states, its last row without a limit', () => {
  for (const state of ['linked', 'pairing'] as const) {
    for (const event of closingKinds) {
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
