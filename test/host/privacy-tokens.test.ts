// The token that says whom an account has written to: given to a contact once, not with each message.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { type DriverWorld, type Line, startDriver } from './driver.ts'

const ANNA = '5511340000001'
const BEN = '5511340000002'

let world: DriverWorld
beforeAll(async () => {
  world = await startDriver()
  await world.sim('POST', '/phones', { number: BEN, name: 'Ben' })
})
afterAll(() => world.close())

const createDeadline = () => AbortSignal.timeout(20_000)

async function openInstance(instance: string): Promise<Line> {
  const line = await world.connectInstance(instance)
  await until(() => line.account)
  return line
}

async function sendText({ connection }: Line, id: string): Promise<void> {
  const encoded = connection.encode({ kind: 'text', text: id, mentions: [] })?.encoded ?? new Uint8Array()
  expect(await connection.send(id, `${BEN}@s.msgnet.net`, encoded, createDeadline())).toMatchObject({
    kind: 'done',
  })
  // What the socket said before is read before the answer to this.
  expect(await connection.confirmRead(createDeadline())).toMatchObject({ kind: 'done' })
}

async function countTokensSent(): Promise<number> {
  const { entries } = await world.sim<{ entries: { what: string; xmlns?: string; type?: string }[] }>(
    'GET',
    `/log?number=${ANNA}`,
  )
  return entries.filter(({ what, xmlns, type }) => what === 'iq' && xmlns === 'privacy' && type === 'set')
    .length
}

test('a contact receives one token for many messages, on this socket and on the next', async () => {
  const instance = await world.linkPhone(ANNA)
  const line = await openInstance(instance)
  await sendText(line, 'FIRST')
  await until(async () => (await world.credentials.readAll(instance, 'tctoken')).size > 0)
  for (const id of ['SECOND', 'THIRD']) await sendText(line, id)
  await line.connection.close()
  const next = await openInstance(instance)
  for (const id of ['FOURTH', 'FIFTH']) await sendText(next, id)
  expect(await countTokensSent()).toBe(1)
})
