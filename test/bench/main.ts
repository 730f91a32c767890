// `npm run bench`: every figure of a run in one table and in bench.json. A figure that is missed is shown as missed.

import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { projectRoot } from '../../cli/build/root.ts'
import { uploaded } from '../../cli/build/uploaded.ts'
import { printCosts } from './cost.ts'
import { measureCosts } from './costs.ts'
import { measureHolds, printHolds } from './holds.ts'
import { huge } from './huge.ts'
import { manySessions } from './many-sessions.ts'
import type { Measure } from './measure.ts'
import { latency, reads, receipts, sends, setStage } from './measures.ts'
import { misbehaving } from './misbehaving.ts'
import { soak } from './soak.ts'
import { besideStored, printBeside } from './stored-events.ts'

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '200' },
    cost: { type: 'boolean', default: false },
    events: { type: 'string' },
    holds: { type: 'boolean', default: false },
    huge: { type: 'boolean', default: false },
    soak: { type: 'string' },
  },
})
const HUGE = 'a message of 10 MB among 50 small ones a second: a minute without it, and one with it …'
const note = (text: string) => console.log(text)

if (values.huge) {
  note(HUGE)
  const measures = await huge()
  show(measures)
  keep({ measures })
  process.exit(0)
}

if (values.soak !== undefined) {
  const minutes = await soak(Number(values.soak), ({ minute, ...told }) =>
    note(`${minute} ${JSON.stringify(rounded(told))}`),
  )
  console.table(minutes.map(rounded))
  keep({ soak: minutes })
  process.exit(0)
}

if (values.holds) {
  const amounts = { events: Number(values.events ?? 1_000_000), instances: 10_000 }
  const holds = await measureHolds(amounts, note)
  printHolds(holds)
  keep({ holds })
  process.exit(0)
}

if (values.events !== undefined) {
  const found = await besideStored(Number(values.events), note)
  printBeside(found)
  keep({ stored: found })
  process.exit(0)
}

const costs = await measureCosts(note)
printCosts(costs)
if (values.cost) {
  keep({ costs })
  process.exit(0)
}

const measures: Measure[] = []
// First, while this process is small: its own pauses would be taken for the receivers'.
note('receivers that misbehave …')
measures.push(...(await misbehaving()))
note(
  '50 devices are linked twice, through the gateway and with the library alone, and 1,000 instances are made …',
)
const stage = await setStage()
try {
  note('reads …')
  measures.push(...(await reads(stage)))
  note('sends …')
  measures.push(await sends(stage))
  note('messages to the receiver …')
  measures.push(await receipts(stage))
  note('latency …')
  measures.push(...(await latency(stage)))
  measures.push(bundleSize())
} finally {
  for (const { client } of stage.raw) client.end()
  await stage.world.close()
  await stage.receiver.close()
}

// In a gateway of their own: the others' devices would be counted with them.
note(HUGE)
measures.push(...(await huge()))
note(`${values.sessions} sessions in one process, through the gateway and with the library alone …`)
measures.push(...(await manySessions(Number(values.sessions))))

show(measures)
keep({ costs, measures })
process.exit(0)

function show(measures: Measure[]): void {
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

function rounded(figures: object): object {
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, Number(value.toFixed(name === 'hostCpu' ? 2 : 0))]),
  )
}

function keep(figures: object): void {
  const text = JSON.stringify({ at: new Date().toISOString(), ...figures }, null, 2)
  writeFileSync(join(projectRoot, 'bench.json'), `${text}\n`)
}

/** Of the script that `npm run deploy` uploads. */
function bundleSize(): Measure {
  execFileSync('npm', ['run', 'build:cloudflare'], { cwd: projectRoot, stdio: 'ignore' })
  const ours = gzipSync(readFileSync(uploaded)).length / 1000
  return {
    what: 'edge bundle for Cloudflare, KB gzip',
    ours,
    against: 250,
    ratio: ours / 250,
    reach: '≤ 250',
    reached: ours <= 250,
  }
}
