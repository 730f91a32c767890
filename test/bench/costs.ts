// What an operation costs: processor time of edge, database and host, beside the unmodified library in the same run.

import {
  compareWithLibrary,
  measureBursts,
  measureLibrary,
  receiveWithLibrary,
  writeMessages,
} from './beside-library.ts'
import { type Cost, measureWork, type NamedCost, type Row } from './cost.ts'
import { type CostStage, startCostStage } from './cost-stage.ts'
import { dialogue } from './dialogue.ts'
import { groupRows } from './group-costs.ts'
import { computePercentiles, countSecondsUntil } from './load.ts'
import { live, reads } from './read-costs.ts'
import { measureKeyedSends } from './send-keyed.ts'

export async function measureCosts(note: (text: string) => void): Promise<NamedCost[]> {
  note('20 devices are linked twice, through the gateway and with the library alone …')
  const stage = await startCostStage()
  try {
    const costs: NamedCost[] = []
    for (const { what, measureCost } of [...rows, live]) {
      note(`${what} …`)
      costs.push({ what, ...(await measureCost(stage)) })
    }
    return costs
  } finally {
    await stage.close()
  }
}

async function measureSendsAtOnce(stage: CostStage): Promise<Cost> {
  const count = 600
  const cost = await measureWork(stage, count, async () => void (await measureKeyedSends(stage, count, 32)))
  const alone = await measureLibrary(stage, count, () => stage.library.sendMessages(stage.friend, count, 32))
  return compareWithLibrary(cost, alone, { ratio: 4 })
}

async function measureSendsAlone(stage: CostStage): Promise<Cost> {
  const count = 400
  let took = { p50: 0, p99: 0 }
  const cost = await measureWork(stage, count, async () => {
    took = await measureKeyedSends(stage, count, 1)
  })
  const alone = await measureLibrary(stage, count, () => stage.library.sendMessages(stage.friend, count, 1))
  return { ...compareWithLibrary(cost, alone, { ratio: 6 }), ...took }
}

async function measureBurst(stage: CostStage): Promise<Cost> {
  const numbers = stage.devices.map(({ number }) => number)
  const [cost, alone] = await measureBursts(stage, numbers, stage.library.numbers)
  return compareWithLibrary(cost, alone, { ratio: 2.5, ms: 2.2 })
}

async function measureTrickle(stage: CostStage): Promise<Cost> {
  const { devices, library, receiver, friend } = stage
  const count = 500
  const sendSteadily = async (numbers: string[], onSent: (text: string) => void = () => undefined) => {
    const began = Date.now()
    for (let n = 0; n < count; n++) {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, began + n * 20 - Date.now())))
      onSent(`steady ${n}`)
      await writeMessages(stage, friend, numbers[n % numbers.length], `steady ${n}`, 1)
    }
  }
  const sentAt = new Map<string, number>()
  const before = receiver.deliveries.length
  const cost = await measureWork(stage, count, async () => {
    await sendSteadily(
      devices.map(({ number }) => number),
      (text) => sentAt.set(text, Date.now()),
    )
    await countSecondsUntil(() => receiver.deliveries.length - before, count)
  })
  const took = receiver.deliveries.slice(before).map(({ envelope, at }) => {
    return at - (sentAt.get((envelope.message as { text: string }).text) ?? Number.NaN)
  })
  const alone = await receiveWithLibrary(stage, count, () => sendSteadily(library.numbers))
  return { ...compareWithLibrary(cost, alone, { ratio: 2, ms: 4.5 }), ...computePercentiles(took) }
}

/** In the order of the README's table. */
export const rows: readonly Row[] = [
  { what: 'keyed send, 32 at once', measureCost: measureSendsAtOnce },
  { what: 'keyed send, one at a time', measureCost: measureSendsAlone },
  { what: 'message in to 2xx, burst', measureCost: measureBurst },
  { what: 'message in to 2xx, 50 a second', measureCost: measureTrickle },
  dialogue,
  ...groupRows,
  ...reads,
]
