// What the network brings a second time, because it never learned that it had arrived: known by what is stored, and not asked for anew.

import { createClient } from '@libsql/client'
import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../until.ts'
import { createTextInput, startWorld } from './world.ts'

const ANNA = '5511300000001'
const BEN = '5511300000002'
const CARL = '5511300000003'

interface Receipt {
  ids: string[]
  type: string
}

async function createStage() {
  const world = await startWorld()
  onTestFinished(() => world.close())
  await world.createPhone(BEN, 'Ben')
  await world.createPhone(CARL, 'Carl')
  const instance = await world.linkPhone(ANNA)
  const readReceipts = async () =>
    (await world.sim<{ receipts: Receipt[] }>('GET', `/receipts?number=${ANNA}`)).receipts
  const countReceipts = async (id: string) =>
    (await readReceipts()).filter(({ ids, type }) => ids.includes(id) && type !== 'retry').length
  return { world, instance, readReceipts, countReceipts }
}

test.each(['pn', 'lid'])(
  'a message delivered twice gets two receipts and no retry request (%s)',
  async (addressing) => {
    const { world, readReceipts, countReceipts } = await createStage()
    await world.sim('POST', '/faults', { kind: 'duplicate', number: ANNA, count: 5 })
    const message = { from: BEN, to: ANNA, text: 'twice', addressing, count: 5 }
    const { ids } = await world.sim<{ ids: string[] }>('POST', '/messages', message)
    await until(async () => (await Promise.all(ids.map(countReceipts))).every((times) => times === 2))
    expect((await readReceipts()).filter(({ type }) => type === 'retry')).toEqual([])
  },
)

test('a group message delivered twice gets two receipts and no retry request', async () => {
  const { world, readReceipts, countReceipts } = await createStage()
  const wish = { subject: 'Friends', owner: BEN, participants: [ANNA, CARL] }
  const { jid } = await world.sim<{ jid: string }>('POST', '/groups', wish)
  await world.sim('POST', '/faults', { kind: 'duplicate', number: ANNA, count: 3 })
  const message = { from: BEN, to: jid, text: 'twice', count: 3 }
  const { ids } = await world.sim<{ ids: string[] }>('POST', '/messages', message)
  await until(async () => (await Promise.all(ids.map(countReceipts))).every((times) => times === 2))
  expect((await readReceipts()).filter(({ type }) => type === 'retry')).toEqual([])
})

test('an undecryptable message under the id of one of ours is requested again, and does not show our text', async () => {
  const { world, instance } = await createStage()
  const ours = createTextInput(BEN, 'our words')
  expect(await world.edge.performAction(instance, 'message.sendText', ours)).toMatchObject({ kind: 'done' })
  await world.sim('POST', '/faults', { kind: 'garble', number: ANNA, count: 1 })
  await world.sim('POST', '/messages', { from: BEN, to: ANNA, text: 'his own words', id: ours.messageid })
  const fromBen = await until(() => {
    const events = world.edge.listEvents(instance, 'messages') as unknown as {
      payload: { message: MessageRecord }
    }[]
    const his = events.map(({ payload }) => payload.message).filter(({ fromMe }) => !fromMe)
    return his.length > 0 && his
  })
  expect(fromBen).toMatchObject([{ text: 'his own words' }])
})

test('what its sender repaired while the host was away is one message, and no failure', async () => {
  const { world, instance } = await createStage()
  const query = async (sql: string) => {
    const client = createClient({ url: `file:${world.dataDir}/host/host.db` })
    const { rows } = await client.execute(sql)
    client.close()
    return rows
  }
  await world.sim('POST', '/faults', { kind: 'garble', number: ANNA })
  await world.sim('POST', '/messages', { from: BEN, to: ANNA, text: 'hard to read' })
  await until(async () => (await query('SELECT * FROM undecryptable')).length === 1)
  // The host is away for longer than a repair may take.
  await query('UPDATE undecryptable SET due_at = 0')
  await world.sim('DELETE', '/faults')
  await world.restartHost()
  await until(async () => (await query('SELECT * FROM undecryptable')).length === 0)
  await until(() => world.edge.listEvents(instance, 'messages').length > 0)
  expect(world.edge.listEvents(instance, 'undecryptable')).toEqual([])
})
