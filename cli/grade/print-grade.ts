// Prints what was found out about a receiver, and draws its badge.

import { styleText } from 'node:util'
import type { Finding, ReceiverCheck } from './receiver-checks.ts'

export interface Judged extends Finding {
  check: ReceiverCheck
}

const MARKS = { right: '✓', wrong: '✗', 'not judged': '–' } as const
const COLORS = { right: 'green', wrong: 'red', 'not judged': 'dim' } as const
/** Of the badge, by grade. */
const FILLS: Record<Grade, string> = { A: '#2a7d46', B: '#56803a', C: '#8a6d1a', D: '#a3521c', F: '#b3261e' }
/** Wrong ones, so many at most. */
const MAX_WRONG_FOR_C = 2

export type Grade = 'A' | 'B' | 'C' | 'D' | 'F'

/** A: all right. B: nothing wrong, some not judged. C: one or two wrong. D: more. F: a grave one. */
export function computeGrade(findings: readonly Judged[]): Grade {
  const wrong = findings.filter(({ outcome }) => outcome === 'wrong')
  if (wrong.some(({ check }) => check.isGrave)) return 'F'
  if (wrong.length > MAX_WRONG_FOR_C) return 'D'
  if (wrong.length > 0) return 'C'
  return findings.some(({ outcome }) => outcome === 'not judged') ? 'B' : 'A'
}

export function printFinding({ check, outcome, seen }: Judged): void {
  console.log(styleText(COLORS[outcome], `${MARKS[outcome]} ${check.title}: ${seen}`))
  if (outcome === 'wrong') console.log(`  otherwise ${check.otherwise}`)
}

export function printGrade(grade: Grade, findings: readonly Judged[]): void {
  const count = (outcome: Finding['outcome']) => findings.filter((each) => each.outcome === outcome).length
  const counts = `${count('right')} right, ${count('wrong')} wrong, ${count('not judged')} not judged`
  console.log(styleText('bold', `\nGrade ${grade}: ${counts}`))
}

/** An image of the grade. */
export const drawBadge = (grade: Grade): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="128" height="20" role="img" aria-label="webhook receiver: ${grade}">
<rect width="128" height="20" rx="3" fill="#444"/><path d="M104 0h21a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-21z" fill="${FILLS[grade]}"/>
<g fill="#fff" font-family="sans-serif" font-size="11" text-anchor="middle"><text x="52" y="14">webhook receiver</text><text x="116" y="14">${grade}</text></g>
</svg>
`
