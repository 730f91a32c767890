// Writes docs/run/figures.md: the figures of the last recorded runs as tables.

import { type NamedCost, parts } from '../bench/cost.ts'
import type { Figures, Origin, WayRow } from './figures.ts'

export const writeFiguresPage = ({ costs, sessions, ways, kills }: Figures): string =>
  [
    `# Figures of recorded runs

Written by the runs themselves, from \`figures.json\` beside this page: don't edit it. What the figures mean is in [cost.md](cost.md).
Machines differ: the ratios against the unmodified library, which runs in the same minutes on the same machine, say more than milliseconds.`,
    costs && `## An operation\n\n${writeCosts(costs)}`,
    sessions && `## Many accounts\n\n${writeSessions(sessions)}`,
    ways && `## From an empty folder to a first message\n\n${writeWays(ways)}`,
    kills && `## Kills under traffic\n\n${writeKills(kills)}`,
  ]
    .filter(Boolean)
    .join('\n\n')
    .concat('\n')

const describeOrigin = ({ date, commit, cores, node }: Origin, command: string): string =>
  `\`${command}\`, ${date}, commit ${commit}, ${cores} cores, Node ${node}.`

const writeTable = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

function writeCosts({ origin, rows }: NonNullable<Figures['costs']>): string {
  const formatMs = (value: number | undefined, digits: number) => value?.toFixed(digits) ?? ''
  const writeRow = (row: NamedCost): string[] => [
    row.what,
    ...parts.map((part) => formatMs(row.byPart[part], 2)),
    formatMs(row.total, 2),
    formatMs(row.alone, 2),
    formatMs(row.ratio, 1),
    formatMs(row.p50, 0),
    formatMs(row.p99, 0),
  ]
  const head = ['CPU ms an operation', ...parts, 'together', 'library', 'ratio', 'p50 ms', 'p99 ms']
  return `${describeOrigin(origin, 'npm run bench -- --cost --record')}

${writeTable(head, rows.map(writeRow))}

${writeTable(
  ['One core makes', 'a second'],
  rows.map(({ what, total }) => [what, formatRate(total)]),
)}`
}

/** Of operations that take so many milliseconds of a core: two digits say what such a figure can. */
const formatRate = (ms: number): string => Number((1000 / ms).toPrecision(2)).toLocaleString('en')

function writeSessions({ origin, count, memory, back }: NonNullable<Figures['sessions']>): string {
  const writeRow = (what: string, { ours, library }: typeof memory, digits: number) => [
    what,
    ours.toFixed(digits),
    library.toFixed(digits),
    (ours / library).toFixed(2),
  ]
  return `${describeOrigin(origin, `npm run bench -- --sessions ${count} --record`)}

${writeTable(
  [`${count} accounts in one process`, 'session host', 'library, keys on disk', 'ratio'],
  [
    writeRow('memory when nothing happens, MiB', memory, 0),
    writeRow('all logged in again after a restart, s', back, 1),
  ],
)}`
}

function writeWays({ origin, load, rows }: NonNullable<Figures['ways']>): string {
  const head = ['By', 'Node', 'installed, s', 'then ready, s', 'then a first message, s', 'together, s']
  const formatSeconds = (value: number | undefined) => value?.toFixed(1) ?? ''
  const writeRow = ({ way, node, seconds: { install, ready, message } }: WayRow) => [
    way,
    node,
    ...[install, ready, message, (install ?? 0) + ready + message].map(formatSeconds),
  ]
  const commands = new Map(rows.map((row) => [row.way, row.commands]))
  return `${describeOrigin(origin, 'npm run bench -- --ways --record')} Packages come from the cache of npm. Beside it ${load.toFixed(1)} processes ran or waited for a core.
The container ran without an engine: what the Dockerfile copies, in folders, on the machine's Node.

${writeTable(
  ['By', 'Commands'],
  [...commands].map(([way, all]) => [way, all.map((command) => `\`${command}\``).join(', ')]),
)}

${writeTable(head, rows.map(writeRow))}`
}

function writeKills(found: NonNullable<Figures['kills']>): string {
  const { origin, rounds, seed, devices, kills, messages, sends, lostMessages, doubledSends } = found
  const command = `npm run test:faults -- --rounds ${rounds} --seed ${seed} --devices ${devices} --record`
  return `${describeOrigin(origin, command)}

${writeTable(
  ['', 'Count'],
  [
    ...Object.entries(kills).map(([part, times]) => [`killed: ${part}`, String(times)]),
    ['messages that the network had for us', String(messages)],
    ['of them never delivered', String(lostMessages)],
    ['sends of callers with a key', String(sends)],
    ['of them twice at their phone', String(doubledSends)],
  ],
)}`
}
