// The report of a first day, in Markdown: what each step has shown, and the lines of the protocol log behind it, whose people are pseudonyms.

import type { DayEntry } from './day-log.ts'
import type { DayStep } from './day-steps.ts'

interface ReportParts {
  version: string
  network: string
  steps: readonly (DayStep & { step: number })[]
  findEntry: (step: number) => DayEntry | undefined
}

const words = { ok: 'ok', failed: '**failed**', skipped: 'left out' }

export function writeReport({ version, network, steps, findEntry }: ReportParts): string {
  const rows = steps.map(({ step, title }) => {
    const entry = findEntry(step)
    return `| ${step} | ${title} | ${entry ? words[entry.outcome] : 'not yet'} | ${entry?.at.slice(0, 16) ?? ''} |`
  })
  const sections = steps.flatMap(({ step, title }) => {
    const entry = findEntry(step)
    return entry ? [writeSection(`${step}. ${title}`, entry)] : []
  })
  return [
    '# A first day',
    '',
    `msgnet gateway ${version}, network: ${network}. Numbers, names and texts are in no line: the protocol log holds pseudonyms in their place.`,
    'Look through it before you show it.',
    '',
    '| Step | | Outcome | Time (UTC) |',
    '|---|---|---|---|',
    ...rows,
    '',
    ...sections,
  ].join('\n')
}

function writeSection(title: string, { outcome, says, stanzas }: DayEntry): string {
  const log = stanzas.length > 0 ? ['', '```', ...stanzas, '```'] : []
  return [`## ${title}: ${outcome}`, '', ...says.map((line) => `- ${line}`), ...log, ''].join('\n')
}
