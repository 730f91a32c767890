// `npm run test:faults -- --rounds 200 --seed 7`: random kills, then the host at each crash point, with a table at its end. Exit 1 when anything was lost.

import { parseArgs } from 'node:util'
import { isPointClean, messagePoints, type PointVerdict, startScaffold } from './points.ts'
import { isRunClean, killAtRandom } from './random-kills.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    devices: { type: 'string', default: '20' },
  },
})
const rounds = Number(values.rounds)
const seed = Number(values.seed)
console.log(`${rounds} rounds, seed ${seed}`)
const verdict = await killAtRandom({
  rounds,
  seed,
  devices: Number(values.devices),
  onKill: (round, victim) => console.log(`${String(round).padStart(4)}  killed: ${victim}`),
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
process.exit(clean ? 0 : 1)

async function crashHostAtEachPoint(): Promise<PointVerdict[]> {
  const scaffold = await startScaffold()
  const verdicts: PointVerdict[] = []
  for (const point of messagePoints) verdicts.push(await scaffold.crashAtPoint(point))
  await scaffold.close()
  return verdicts
}
