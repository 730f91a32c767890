// What a message of a group costs: its author signs it, and each device of a member verifies that.

import { createPhone } from '../device.ts'
import { compareWithLibrary, measureBursts } from './beside-library.ts'
import { type Cost, measureWork, type Row } from './cost.ts'
import type { CostStage } from './cost-stage.ts'
import { measureKeyedSends } from './send-keyed.ts'

const PEOPLE = 10

/** A group of ten people and the friend for each number, in the order of the numbers. */
async function createGroups({ world, friend }: CostStage, numbers: string[]): Promise<string[]> {
  const people: string[] = []
  for (let n = 0; n < PEOPLE; n++) people.push(await createPhone(world, `Member ${n}`))
  const groups: string[] = []
  for (const number of numbers) {
    const group = { subject: 'Cost', owner: friend, participants: [...people, number] }
    groups.push(String((await world.sim('POST', '/groups', group)).jid))
  }
  return groups
}

const listNumbers = ({ devices }: CostStage) => devices.map(({ number }) => number)

async function measureSendsToGroups(stage: CostStage): Promise<Cost> {
  const senders = { ...stage, groups: await createGroups(stage, listNumbers(stage)) }
  // The first message to a group carries its key to each member.
  await measureKeyedSends(senders, stage.devices.length, 8)
  const count = 300
  return measureWork(stage, count, async () => void (await measureKeyedSends(senders, count, 8)))
}

async function measureMessagesOfGroups(stage: CostStage): Promise<Cost> {
  const [ours, theirs] = [
    await createGroups(stage, listNumbers(stage)),
    await createGroups(stage, stage.library.numbers),
  ]
  const [cost, alone] = await measureBursts(stage, ours, theirs)
  return compareWithLibrary(cost, alone, { ratio: 1 })
}

export const groupRows: readonly Row[] = [
  { what: 'keyed send to a group of ten, 8 at once', measureCost: measureSendsToGroups },
  { what: 'message of a group in to 2xx, burst', measureCost: measureMessagesOfGroups },
]
