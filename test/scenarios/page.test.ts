// The page with the table of scenarios says what the runs hold.

import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driverDifferences, olderDifferences } from './differences.ts'
import type { Differences } from './run.ts'
import type { Scenario } from './scenario.ts'
import { table } from './table.ts'

const PAGE = join(import.meta.dirname, '../../docs/code/scenarios.md')

const DRIVERS: [string, Differences][] = [
  ['our driver', driverDifferences],
  ['baileys 6.7.24', olderDifferences],
]

const HEAD = `# Scenarios of a driver

What a driver of the network is expected to do, as one table (\`test/scenarios/\`). Each scenario runs over our driver, and over an older
line of the library that is used directly: a second opinion on the simulated network, by a program that was written before it. Both
meet the simulated network; none of this is proof about the live one ([live-network.md](../run/live-network.md)).

A test holds each line: a scenario that fails, and a difference that is gone, fail the run. \`npm run scenarios\` runs the table and
writes this page anew. Another driver takes part with a class of the form of \`test/scenarios/client.ts\`, another network with one of the
form of \`test/scenarios/network.ts\`.
`

const formatRow = (...cells: (string | number)[]) => `| ${cells.join(' | ')} |`
const parts = [...new Set(table.map(({ about }) => about))]

function formatCounts(scenarios: Scenario[]): string[] {
  return DRIVERS.map(([, differences]) => {
    const different = scenarios.filter(({ name }) => differences[name]).length
    const passing = scenarios.length - different
    return different === 0 ? `${passing} pass` : `${passing} pass, ${different} differ`
  })
}

function renderPage(): string {
  const names = DRIVERS.map(([name]) => name)
  const summary = [
    formatRow('Part', 'Scenarios', ...names),
    formatRow('---', '---', ...names.map(() => '---')),
    ...parts.map((part) => {
      const own = table.filter(({ about }) => about === part)
      return formatRow(part, own.length, ...formatCounts(own))
    }),
    formatRow('all', table.length, ...formatCounts(table)),
  ]
  const differing = DRIVERS.flatMap(([driver, differences]) =>
    table.flatMap(({ name }) => (differences[name] ? [formatRow(name, driver, differences[name].how)] : [])),
  )
  const lists = parts.flatMap((part) => [
    `\n## ${part[0]?.toUpperCase()}${part.slice(1)}\n`,
    formatRow('Scenario', ...names),
    formatRow('---', ...names.map(() => '---')),
    ...table
      .filter(({ about }) => about === part)
      .map(({ name }) => formatRow(name, ...DRIVERS.map(([, all]) => (all[name] ? 'differs' : 'passes')))),
  ])
  const differences = [
    '\n## Differences\n',
    formatRow('Scenario', 'Driver', 'What it does'),
    formatRow('---', '---', '---'),
  ]
  return [HEAD, ...summary, ...differences, ...differing, ...lists, ''].join('\n')
}

test('the page shows the table of scenarios; `npm run scenarios` updates it', async () => {
  await expect(renderPage()).toMatchFileSnapshot(PAGE)
})

test('no two scenarios have the same name', () => {
  const names = table.map(({ name }) => name)
  expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([])
})
