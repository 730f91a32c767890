// What the network brings a second time, because it never learned that it had arrived: known by what is stored, and not asked for anew.

import { expect, onTestFinished, test } from 'vitest'
import { until } from '../until.ts'
import { startWorld } from './world.ts'

const ANNA = '5511300000001'
const BEN = '5511300000002'
const CARL = '5511300000003'

interface Receipt {
  ids: string[]
  type: string
}

async function makeStage() {
  const world = await startWorld()
  onTestFinished(() => world.close())
  await world.phone(BEN, 'Ben')
  await world.phone(CARL, 'Carl')
  const instance = await world.linked(ANNA)
  const receipts = async () =>
    (await world.sim<{ receipts: Receipt[] }>('GET', `/receipts?number=${ANNA}`)).receipts
  const taken = async (id: string) =>
    (await receipts()).filter(({ ids, type }) => ids.includes(id) && type !== 'retry').length
  return { world, instance, receipts, taken }
}

test.each(['pn', 'lid'])(
  'a message that comes twice has two receipts, and its sender is not asked for it (%s)',
  async (addressing) => {
    const { world, receipts, taken } = await makeStage()
    await world.sim('POST', '/faults', { kind: 'duplicate', number: ANNA, count: 5 })
    const message = { from: BEN, to: ANNA, text: 'twice', addressing, count: 5 }
    const { ids } = await world.sim<{ ids: string[] }>('POST', '/messages', message)
    await until(async () => (await Promise.all(ids.map(taken))).every((times) => times === 2))
    expect((await receipts()).filter(({ type }) => type === 'retry')).toEqual([])
  },
)

test('a message of a group that comes twice has two receipts, and its sender is not asked for it', async () => {
  const { world, receipts, taken } = await makeStage()
  const wish = { subject: 'Friends', owner: BEN, participants: [ANNA, CARL] }
  const { jid } = await world.sim<{ jid: string }>('POST', '/groups', wish)
  await world.sim('POST', '/faults', { kind: 'duplicate', number: ANNA, count: 3 })
  const message = { from: BEN, to: jid, text: 'twice', count: 3 }
  const { ids } = await world.sim<{ ids: string[] }>('POST', '/messages', message)
  await until(async () => (await Promise.all(ids.map(taken))).every((times) => times === 2))
  expect((await receipts()).filter(({ type }) => type === 'retry')).toEqual([])
})
