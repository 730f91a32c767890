// What operations cost beside what they cost with the code of another folder, as a checkout of the commit before: two gateways
// that run at once and take turns, so that whatever the machine does meanwhile falls on both.

import type { Cost } from './cost.ts'
import { type CostStage, startCostStage } from './cost-stage.ts'
import { rows } from './costs.ts'

/** A row may cost so many times what it costs with the other code. */
const MAX_RATIO = 1.02

export interface ComparedCost {
  what: string
  /** Milliseconds of processor time an operation, the middle one of all turns. */
  here: number
  there: number
  /** Of each pair of turns, in ascending order. */
  ratios: number[]
  /** The middle one. */
  ratio: number
}

/** `folder`: the other code, installed. `turns`: pairs of turns, which change places from one to the next. */
export async function compareCosts(
  folder: string,
  turns: number,
  chosen: string,
  note: (text: string) => void,
): Promise<ComparedCost[]> {
  note(`two gateways, one of ${folder}, each with 1,000 instances of which 20 are linked …`)
  const here = await startCostStage()
  const there = await startCostStage(undefined, folder)
  try {
    await Promise.all([here.createThousandInstances(), there.createThousandInstances()])
    const found: ComparedCost[] = []
    for (const { what, measureCost } of rows.filter((row) => row.what.includes(chosen))) {
      const pairs: [here: number, there: number][] = []
      for (let turn = 0; turn < turns; turn++) pairs.push(await measurePair(measureCost, here, there, turn))
      found.push(summarize(what, pairs))
      note(describe(found.at(-1) as ComparedCost))
    }
    return found
  } finally {
    await here.close()
    await there.close()
  }
}

async function measurePair(
  measureCost: (stage: CostStage) => Promise<Cost>,
  here: CostStage,
  there: CostStage,
  turn: number,
): Promise<[here: number, there: number]> {
  if (turn % 2 === 0) return [(await measureCost(here)).total, (await measureCost(there)).total]
  const second = await measureCost(there)
  return [(await measureCost(here)).total, second.total]
}

function summarize(what: string, pairs: [here: number, there: number][]): ComparedCost {
  const ratios = pairs.map(([here, there]) => here / there).sort((a, b) => a - b)
  const [here, there] = [0, 1].map((at) => findMiddle(pairs.map((pair) => pair[at] ?? 0)))
  return { what, here: here ?? 0, there: there ?? 0, ratios, ratio: findMiddle(ratios) }
}

const findMiddle = (values: number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length >> 1
  return sorted.length % 2 ? (sorted[half] ?? 0) : ((sorted[half - 1] ?? 0) + (sorted[half] ?? 0)) / 2
}

const describe = ({ what, here, there, ratio }: ComparedCost): string =>
  `${what}: ${here.toFixed(2)} and ${there.toFixed(2)} ms, ${ratio.toFixed(3)} times`

/** For the terminal. */
export function printComparedCosts(costs: ComparedCost[]): void {
  console.table(
    costs.map(({ what, here, there, ratios, ratio }) => ({
      'CPU ms an operation': what,
      here: here.toFixed(2),
      there: there.toFixed(2),
      ratio: ratio.toFixed(3),
      least: ratios[0]?.toFixed(3),
      most: ratios.at(-1)?.toFixed(3),
      '': ratio <= MAX_RATIO ? 'reached' : 'MISSED',
    })),
  )
}
