// What an operation costs: processor time of edge, database and host, beside the unmodified library in the same run.

import { type Cost, costOf, type NamedCost, type Reach, type Row } from './cost.ts'
import { type CostStage, setCostStage } from './cost-stage.ts'
import { percentiles, secondsUntil } from './load.ts'
import { processTime } from './process-time.ts'
import { live, reads } from './read-costs.ts'
import { sendKeyed } from './send-keyed.ts'

export async function measureCosts(note: (text: string) => void): Promise<NamedCost[]> {
  note('20 devices are linked twice, through the gateway and with the library alone …')
  const stage = await setCostStage()
  try {
    const costs: NamedCost[] = []
    for (const { what, measure } of [...rows, live]) {
      note(`${what} …`)
      costs.push({ what, ...(await measure(stage)) })
    }
    return costs
  } finally {
    await stage.close()
  }
}

const beside = (cost: Cost, alone: number, reach: Reach): Cost => ({
  ...cost,
  alone,
  reach,
  ratio: cost.total / alone,
})

async function aloneOf(
  { library }: CostStage,
  operations: number,
  work: () => Promise<void>,
): Promise<number> {
  const before = processTime(library.pid)
  await work()
  return (processTime(library.pid) - before) / operations
}

async function sendsAtOnce(stage: CostStage): Promise<Cost> {
  const count = 600
  const cost = await costOf(stage, count, async () => void (await sendKeyed(stage, count, 32)))
  const alone = await aloneOf(stage, count, () => stage.library.send(stage.friend, count, 32))
  return beside(cost, alone, { ratio: 4 })
}

async function sendsAlone(stage: CostStage): Promise<Cost> {
  const count = 200
  let took = { p50: 0, p99: 0 }
  const cost = await costOf(stage, count, async () => {
    took = await sendKeyed(stage, count, 1)
  })
  const alone = await aloneOf(stage, count, () => stage.library.send(stage.friend, count, 1))
  return { ...beside(cost, alone, { ratio: 6 }), ...took }
}

const write = ({ world }: CostStage, from: string, to: string | undefined, text: string, count: number) =>
  world.sim('POST', '/messages', { from, to, text, count })

async function libraryReceives(
  stage: CostStage,
  count: number,
  writing: () => Promise<unknown>,
): Promise<number> {
  const before = await stage.library.received()
  return aloneOf(stage, count, async () => {
    await writing()
    while ((await stage.library.received()) - before < count)
      await new Promise((resolve) => setTimeout(resolve, 50))
  })
}

async function burst(stage: CostStage): Promise<Cost> {
  const { devices, library, receiver, friend } = stage
  const each = 40
  const count = each * devices.length
  const before = receiver.deliveries.length
  const cost = await costOf(stage, count, async () => {
    await Promise.all(devices.map(({ number }) => write(stage, friend, number, 'burst', each)))
    await secondsUntil(() => receiver.deliveries.length - before, count)
  })
  const alone = await libraryReceives(stage, count, () =>
    Promise.all(library.numbers.map((number) => write(stage, friend, number, 'burst', each))),
  )
  return beside(cost, alone, { ratio: 2.5, ms: 2.2 })
}

async function trickle(stage: CostStage): Promise<Cost> {
  const { devices, library, receiver, friend } = stage
  const count = 500
  const steadily = async (numbers: string[], told: (text: string) => void = () => undefined) => {
    const began = Date.now()
    for (let n = 0; n < count; n++) {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, began + n * 20 - Date.now())))
      told(`steady ${n}`)
      await write(stage, friend, numbers[n % numbers.length], `steady ${n}`, 1)
    }
  }
  const sentAt = new Map<string, number>()
  const before = receiver.deliveries.length
  const cost = await costOf(stage, count, async () => {
    await steadily(
      devices.map(({ number }) => number),
      (text) => sentAt.set(text, Date.now()),
    )
    await secondsUntil(() => receiver.deliveries.length - before, count)
  })
  const took = receiver.deliveries.slice(before).map(({ envelope, at }) => {
    return at - (sentAt.get((envelope.message as { text: string }).text) ?? Number.NaN)
  })
  const alone = await libraryReceives(stage, count, () => steadily(library.numbers))
  return { ...beside(cost, alone, { ratio: 2, ms: 4.5 }), ...percentiles(took) }
}

/** In the order of the README's table. */
export const rows: readonly Row[] = [
  { what: 'keyed send, 32 at once', measure: sendsAtOnce },
  { what: 'keyed send, one at a time', measure: sendsAlone },
  { what: 'message in to 2xx, burst', measure: burst },
  { what: 'message in to 2xx, 50 a second', measure: trickle },
  ...reads,
]
