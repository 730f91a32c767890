// `npm run test:faults -- --rounds 200 --seed 7`: random kills, then the host at each crash point, with a table at its end. Exit 1 when anything was lost.

import { parseArgs } from 'node:util'
import { describeOrigin, recordFigures } from '../figures/recorded-figures.ts'
import { isPointClean, messagePoints, type PointVerdict, startScaffold } from './points.ts'
import { isRunClean, killAtRandom } from './random-kills.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    devices: { type: 'string', default: '20' },
    record: { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds)
const seed = Number(values.seed)
const devices = Number(values.devices)
const kills: Record<string, number> = {}
console.log(`${rounds} rounds, seed ${seed}`)
const verdict = await killAtRandom({
  rounds,
  seed,
  devices,
  onKill: (round, victim, waiting) => {
    kills[victim] = (kills[victim] ?? 0) + 1
    console.log(`${String(round).padStart(4)}  killed: ${victim.padEnd(12)}  ${waiting} messages under way`)
  },
  onWait: (what) => console.log(`${new Date().toISOString().slice(11, 19)}  waiting until ${what}`),
})
const { answers, webhooks, ...counts } = verdict
console.table(counts)
console.table(webhooks)
for (const answer of answers) console.log(answer)
const points = await crashHostAtEachPoint()
console.table(points)
const clean = isRunClean(verdict) && points.every(isPointClean)
console.log(clean ? 'Nothing lost, nothing twice.' : `NOT CLEAN; repeat it with --seed ${seed}`)
if (values.record) recordRun()
process.exit(clean ? 0 : 1)

/** Also one that is not clean: the figures say so. */
function recordRun(): void {
  recordFigures({
    kills: {
      origin: describeOrigin(),
      rounds,
      seed,
      devices,
      kills,
      messages: verdict.messages + verdict.past,
      sends: verdict.sends,
      lostMessages: verdict.missing + verdict.pastMissing,
      doubledSends: verdict.doubled,
    },
  })
}

async function crashHostAtEachPoint(): Promise<PointVerdict[]> {
  const scaffold = await startScaffold()
  const verdicts: PointVerdict[] = []
  for (const point of messagePoints) verdicts.push(await scaffold.crashAtPoint(point))
  await scaffold.close()
  return verdicts
}
