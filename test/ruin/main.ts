// `npm run test:faults -- --rounds 200 --seed 7`: the run of deaths with a table at its end. Exit 1 when anything was lost.

import { parseArgs } from 'node:util'
import { ruin } from './ruin.ts'
import { isClean } from './verdict.ts'

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
const verdict = await ruin({
  rounds,
  seed,
  devices: Number(values.devices),
  told: (round, victim) => console.log(`${String(round).padStart(4)}  killed: ${victim}`),
})
console.table(verdict)
console.log(isClean(verdict) ? 'Nothing lost, nothing twice.' : `NOT CLEAN; repeat it with --seed ${seed}`)
process.exit(isClean(verdict) ? 0 : 1)
