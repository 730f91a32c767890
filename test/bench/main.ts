// `npm run bench`: every figure of a run in one table and in bench.json. A figure that is missed is shown as missed.

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { readFirstModules } from '@msgnet/cli/build/uploaded-worker.ts'
import { describeOrigin, recordFigures } from '../figures/recorded-figures.ts'
import { compareCosts, printComparedCosts } from './against.ts'
import { measureConsole, printConsole } from './console-speed.ts'
import { parts, printCosts } from './cost.ts'
import { measureCosts } from './costs.ts'
import { measureDestinations } from './destinations.ts'
import { measureFormats } from './formats.ts'
import { measureHistory } from './history.ts'
import { measureHuge } from './huge.ts'
import { measureLabStarts } from './lab-starts.ts'
import { measureLoopTurns, printLoopTurns } from './loop-turns.ts'
import { measureManySessions } from './many-sessions.ts'
import type { Measure } from './measure.ts'
import { measureLatency, measureReads, measureReceipts, measureSends, startStage } from './measures.ts'
import { measureMisbehaving } from './misbehaving.ts'
import { measureNeighbours, printNeighbours } from './neighbours.ts'
import { profileRow } from './profile.ts'
import { measureSearch } from './search.ts'
import { runSoak } from './soak.ts'
import { measureStoredEvents, printStoredEvents } from './stored-events.ts'
import { measureWays } from './ways-in.ts'

const { values } = parseArgs({
  options: {
    sessions: { type: 'string' },
    console: { type: 'boolean', default: false },
    cost: { type: 'boolean', default: false },
    destinations: { type: 'boolean', default: false },
    events: { type: 'string' },
    formats: { type: 'boolean', default: false },
    history: { type: 'boolean', default: false },
    holds: { type: 'boolean', default: false },
    huge: { type: 'boolean', default: false },
    lab: { type: 'boolean', default: false },
    neighbours: { type: 'boolean', default: false },
    against: { type: 'string' },
    attack: { type: 'string' },
    profile: { type: 'string' },
    record: { type: 'boolean', default: false },
    row: { type: 'string', default: '' },
    search: { type: 'string' },
    turns: { type: 'string', default: '5' },
    of: { type: 'string', default: projectRoot },
    soak: { type: 'string' },
    ways: { type: 'boolean', default: false },
  },
})
const HUGE = 'a message of 10 MB among 50 small ones a second: a minute without it, and one with it …'
const PROFILE = 'bench.cpuprofile'
const printNote = (text: string) => console.log(text)

if (values.huge) {
  printNote(HUGE)
  const measures = await measureHuge()
  printMeasures(measures)
  storeFigures({ measures })
  process.exit(0)
}

if (values.lab) {
  const measures = await measureLabStarts(printNote)
  printMeasures(measures)
  storeFigures({ measures })
  process.exit(0)
}

if (values.ways) {
  const ways = await measureWays(printNote)
  if (values.record) recordFigures({ ways: { origin: describeOrigin(), ...ways } })
  process.exit(0)
}

if (values.search !== undefined) {
  const measures = await measureSearch(Number(values.search), printNote)
  printMeasures(measures)
  storeFigures({ measures })
  process.exit(0)
}

if (values.destinations) {
  const measures = await measureDestinations(printNote)
  printMeasures(measures)
  storeFigures({ measures })
  process.exit(0)
}

if (values.formats) {
  const measures = await measureFormats(printNote)
  printMeasures(measures)
  storeFigures({ measures })
  process.exit(0)
}

if (values.history) {
  printNote('the history of a newly linked account beside 50 messages a second …')
  const measures = await measureHistory()
  printMeasures(measures)
  storeFigures({ measures })
  process.exit(0)
}

if (values.neighbours) {
  const figures = await measureNeighbours(values.of, values.attack, printNote)
  printNeighbours(figures)
  storeFigures({ neighbours: figures })
  process.exit(0)
}

if (values.against !== undefined) {
  const compared = await compareCosts(resolve(values.against), Number(values.turns), values.row, printNote)
  printComparedCosts(compared)
  storeFigures({ compared })
  process.exit(0)
}

if (values.profile !== undefined) {
  const part = parts.find((name) => name.endsWith(values.profile ?? ''))
  if (!part) throw new Error(`--profile: one of ${parts.join(', ')}`)
  await profileRow(part, values.row, PROFILE)
  printNote(`written to ${PROFILE}`)
  process.exit(0)
}

if (values.soak !== undefined) {
  const minutes = await runSoak(Number(values.soak), ({ minute, ...figures }) =>
    printNote(`${minute} ${JSON.stringify(roundFigures(figures))}`),
  )
  console.table(minutes.map(roundFigures))
  storeFigures({ soak: minutes })
  process.exit(0)
}

if (values.console) {
  const steps = await measureConsole(Number(values.events ?? 1_000_000), printNote)
  printConsole(steps)
  storeFigures({ console: steps })
  process.exit(0)
}

if (values.holds) {
  const amounts = { events: Number(values.events ?? 1_000_000), instances: 10_000 }
  const turns = await measureLoopTurns(amounts, printNote)
  printLoopTurns(turns)
  storeFigures({ holds: turns })
  process.exit(0)
}

if (values.events !== undefined) {
  const found = await measureStoredEvents(Number(values.events), printNote)
  printStoredEvents(found)
  storeFigures({ stored: found })
  process.exit(0)
}

if (values.sessions !== undefined) {
  const { figures, measures } = await runManySessions(Number(values.sessions))
  printMeasures(measures)
  storeFigures({ measures })
  if (values.record) recordFigures({ sessions: { origin: describeOrigin(), ...figures } })
  process.exit(0)
}

const costs = await measureCosts(printNote)
printCosts(costs)
if (values.record) recordFigures({ costs: { origin: describeOrigin(), rows: costs } })
if (values.cost) {
  const formats = await measureFormats(printNote)
  printMeasures(formats)
  storeFigures({ costs, measures: formats })
  process.exit(0)
}

const measures: Measure[] = []
// First, while this process is small: its own pauses would be taken for the receivers'.
printNote('receivers that misbehave …')
measures.push(...(await measureMisbehaving()))
printNote(
  '50 devices are linked twice, through the gateway and with the library alone, and 1,000 instances are made …',
)
const stage = await startStage()
try {
  printNote('reads …')
  measures.push(...(await measureReads(stage)))
  printNote('sends …')
  measures.push(await measureSends(stage))
  printNote('messages to the receiver …')
  measures.push(await measureReceipts(stage))
  printNote('latency …')
  measures.push(...(await measureLatency(stage)))
  measures.push(readBundleSize())
} finally {
  for (const { client } of stage.raw) client.end()
  await stage.world.close()
  await stage.receiver.close()
}

// In a gateway of their own: the others' devices would be counted with them.
printNote(HUGE)
measures.push(...(await measureHuge()))
measures.push(...(await runManySessions(200)).measures)

printMeasures(measures)
storeFigures({ costs, measures })
process.exit(0)

function runManySessions(count: number): ReturnType<typeof measureManySessions> {
  printNote(`${count} sessions in one process, through the gateway and with the library alone …`)
  return measureManySessions(count)
}

function printMeasures(measures: Measure[]): void {
  console.table(
    measures.map(({ what, ours, against, ratio, reach, reached }) => ({
      what,
      ours: ours.toFixed(1),
      against: against.toFixed(1),
      ratio: ratio.toFixed(3),
      reach,
      '': reached ? 'reached' : 'MISSED',
    })),
  )
}

function roundFigures(figures: object): object {
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, Number(value.toFixed(name === 'hostCpu' ? 2 : 0))]),
  )
}

function storeFigures(figures: object): void {
  const text = JSON.stringify({ at: new Date().toISOString(), ...figures }, null, 2)
  writeFileSync(join(projectRoot, 'bench.json'), `${text}\n`)
}

/** Of what `npm run deploy` uploads, the modules that the platform loads before a first request. */
function readBundleSize(): Measure {
  execFileSync('npm', ['run', 'build:cloudflare'], { cwd: projectRoot, stdio: 'ignore' })
  const sizes = readFirstModules().map(({ contents }) => gzipSync(contents).length / 1000)
  const ours = sizes.reduce((sum, size) => sum + size)
  return {
    what: 'first modules of the edge on Cloudflare, KB gzip',
    ours,
    against: 250,
    ratio: ours / 250,
    reach: '≤ 250',
    reached: ours <= 250,
  }
}
