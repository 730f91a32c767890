// Numbers that a country writes in two forms: a longer and a shorter one of the same line, of which one is registered.

import { PERSON_SUFFIX } from './jid.ts'

const digits = (count: number): string => '[0-9]'.repeat(count)

/**
 * Brazil put a 9 before its mobile numbers, which began with 6 to 9; Mexico gave up the 1 of its mobile numbers; in Argentina the
 * 9 says that a number is mobile, and is often left out. The parts are the same in a regular expression and in GLOB of SQLite.
 */
const doubles: { before: string; beforeLength: number; inserted: string; after: string }[] = [
  { before: `55${digits(2)}`, beforeLength: 4, inserted: '9', after: `[6-9]${digits(7)}` },
  { before: '52', beforeLength: 2, inserted: '1', after: digits(10) },
  { before: '54', beforeLength: 2, inserted: '9', after: digits(10) },
]

const toPattern = (glob: string): RegExp => new RegExp(`^${glob}${PERSON_SUFFIX.replaceAll('.', '\\.')}$`)

const forms = doubles.map(({ before, beforeLength, inserted, after }) => ({
  beforeLength,
  inserted,
  long: toPattern(`${before}${inserted}${after}`),
  short: toPattern(`${before}${after}`),
}))

/** The other form of a person's id; undefined where there is none. */
export function findOtherForm(jid: string): string | undefined {
  for (const { long, short, beforeLength, inserted } of forms) {
    const before = jid.slice(0, beforeLength)
    if (long.test(jid)) return before + jid.slice(beforeLength + 1)
    if (short.test(jid)) return before + inserted + jid.slice(beforeLength)
  }
  return undefined
}

/** One id for both forms: the shorter. */
export function toCommonForm(jid: string): string {
  const double = forms.find(({ long }) => long.test(jid))
  return double ? jid.slice(0, double.beforeLength) + jid.slice(double.beforeLength + 1) : jid
}

/** The same in SQL. `jid`: an expression. */
export function buildCommonForm(jid: string): string {
  const cases = doubles.map(
    ({ before, beforeLength, inserted, after }) =>
      `when ${jid} glob '${before}${inserted}${after}${PERSON_SUFFIX}'
        then substr(${jid}, 1, ${beforeLength}) || substr(${jid}, ${beforeLength + 2})`,
  )
  return `case ${cases.join(' ')} else ${jid} end`
}
