// kill -9 of a host that waits for an acknowledgement whose caller has gone: the message may have been sent, and is not said to have failed.
// @module-tag slow

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@libsql/client'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { type ProcessWorld, startProcessWorld } from './process.ts'
import { createTextInput } from './world.ts'

const ANNA = '5511610000001'
const BEN = '5511610000002'

let world: ProcessWorld
beforeAll(async () => {
  world = await startProcessWorld()
})
afterAll(() => world.close())

async function countUnawaited(): Promise<number> {
  const client = createClient({ url: pathToFileURL(join(world.folder, 'host.db')).href })
  const { rows } = await client.execute('SELECT messageid FROM unawaited')
  client.close()
  return rows.length
}

test('a message that had left when its caller went is not failed by the host that follows a killed one', async () => {
  const { edge } = world
  const killed = world.runHost()
  const instance = await world.linkPhone(ANNA)
  await world.sim('POST', '/phones', { number: BEN, autoReceipt: false })
  await world.sim('POST', '/faults', { kind: 'lost_ack', number: ANNA })
  const id = crypto.randomUUID()
  const input = createTextInput(`${BEN}@s.msgnet.net`, 'it went')
  const time = { budget: 30 * SECOND, patience: 4 * SECOND }
  edge.sendFrames({ t: 'act', id, instance, epoch: 1, action: 'message.sendText', input, ...time })
  await until(async () => {
    const { messages } = await world.sim<{ messages: { id: string }[] }>('GET', `/phones/${BEN}/inbox`)
    return messages.some((one) => one.id === input.messageid)
  })
  await until(async () => (await countUnawaited()) > 0)

  killed.child.kill('SIGKILL')
  await killed.ended
  world.runHost()
  expect(await edge.waitForOutcome(id)).toMatchObject({ kind: 'unknown' })
  const findOutcome = () =>
    edge.listEvents(instance, 'messages_update').find(({ payload }) => payload.type === 'SendReceipt')
  expect((await until(findOutcome)).payload).toMatchObject({
    state: 'Pending',
    event: { MessageIDs: [input.messageid], error: 'outcome_unknown' },
  })
  const found = await edge.performAction(instance, 'message.find', {
    id: input.messageid,
    limit: 1,
    offset: 0,
  })
  expect(found).toMatchObject({ kind: 'done', result: { messages: [{ status: 'Pending' }] } })
})
