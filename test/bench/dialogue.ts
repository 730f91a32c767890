// What a dialogue costs: a message comes in, and the caller answers the same person, again and again, as bots do. Each change of
// direction turns the ratchet of the encryption, so it is held against the same messages without answers and the same sends alone.

import { type Cost, measureWork, type Row } from './cost.ts'
import type { CostStage } from './cost-stage.ts'
import { countSecondsUntil } from './load.ts'
import { measureKeyedSends } from './send-keyed.ts'

const ROUNDS = 15

async function receiveOneEach({ world, devices, receiver, friend }: CostStage): Promise<void> {
  const before = receiver.deliveries.length
  const writing = devices.map(({ number: to }) =>
    world.sim('POST', '/messages', { from: friend, to, text: 'asks', count: 1 }),
  )
  await Promise.all(writing)
  await countSecondsUntil(() => receiver.deliveries.length - before, devices.length)
}

async function sendOneEach(stage: CostStage): Promise<void> {
  await measureKeyedSends(stage, stage.devices.length, stage.devices.length)
}

const repeat = async (work: () => Promise<void>) => {
  for (let round = 0; round < ROUNDS; round++) await work()
}

async function measureDialogue(stage: CostStage): Promise<Cost> {
  const pairs = ROUNDS * stage.devices.length
  const halves = [receiveOneEach, sendOneEach]
  const alone: Cost[] = []
  for (const half of halves) alone.push(await measureWork(stage, pairs, () => repeat(() => half(stage))))
  const cost = await measureWork(stage, pairs, () =>
    repeat(async () => {
      for (const half of halves) await half(stage)
    }),
  )
  return { ...cost, reach: { ms: alone.reduce((sum, { total }) => sum + total, 0) } }
}

export const dialogue: Row = {
  what: 'message in and its answer out, 20 at once',
  measureCost: measureDialogue,
}
