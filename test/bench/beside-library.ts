// The same work done by the gateway and by the unmodified library alone, in one run.

import { type Cost, measureWork, type Reach } from './cost.ts'
import type { CostStage } from './cost-stage.ts'
import { countSecondsUntil } from './load.ts'
import { readProcessTime } from './process-time.ts'

/** How many messages one commit takes differs from burst to burst, and with it the cost. The first burst is not counted. */
const BURSTS = 4
const BURST_MESSAGES = 40

export const compareWithLibrary = (cost: Cost, alone: number, reach: Reach): Cost => ({
  ...cost,
  alone,
  reach,
  ratio: cost.total / alone,
})

/** Milliseconds of its processor time, divided by the operations. */
export async function measureLibrary(
  { library }: CostStage,
  operations: number,
  work: () => Promise<void>,
): Promise<number> {
  const before = readProcessTime(library.pid)
  await work()
  return (readProcessTime(library.pid) - before) / operations
}

export const writeMessages = (
  { world }: CostStage,
  from: string,
  to: string | undefined,
  text: string,
  count: number,
) => world.sim('POST', '/messages', { from, to, text, count })

export async function receiveWithLibrary(
  stage: CostStage,
  count: number,
  writing: () => Promise<unknown>,
): Promise<number> {
  const before = await stage.library.countReceived()
  return measureLibrary(stage, count, async () => {
    await writing()
    while ((await stage.library.countReceived()) - before < count)
      await new Promise((resolve) => setTimeout(resolve, 50))
  })
}

/** What a message of a burst costs, here and the library alone. `ours` and `theirs`: to whom the friend writes it. */
export async function measureBursts(
  stage: CostStage,
  ours: string[],
  theirs: string[],
): Promise<[cost: Cost, alone: number]> {
  const { receiver, friend } = stage
  const writeBurst = (chats: string[]) =>
    Promise.all(chats.map((chat) => writeMessages(stage, friend, chat, 'burst', BURST_MESSAGES)))
  const count = BURST_MESSAGES * ours.length
  const runBurst = async () => {
    const before = receiver.deliveries.length
    await writeBurst(ours)
    await countSecondsUntil(() => receiver.deliveries.length - before, count)
  }
  await runBurst()
  const cost = await measureWork(stage, BURSTS * count, async () => {
    for (let n = 0; n < BURSTS; n++) await runBurst()
  })
  const runBurstAlone = () =>
    receiveWithLibrary(stage, BURST_MESSAGES * theirs.length, () => writeBurst(theirs))
  await runBurstAlone()
  let alone = 0
  for (let n = 0; n < BURSTS; n++) alone += (await runBurstAlone()) / BURSTS
  return [cost, alone]
}
