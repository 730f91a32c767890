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

const deadline = () => AbortSignal.timeout(20_000)

async function opened(instance: string): Promise<Line> {
  const line = await world.connect(instance)
  await until(() => line.account)
  return line
}

async function send({ connection }: Line, id: string): Promise<void> {
  const encoded = connection.encode({ kind: 'text', text: id, mentions: [] })?.encoded ?? new Uint8Array()
  expect(await connection.send(id, `${BEN}@s.msgnet.net`, encoded, deadline())).toMatchObject({
    kind: 'done',
  })
  // What the socket said before is read before the answer to this.
  expect(await connection.heard(deadline())).toMatchObject({ kind: 'done' })
}

async function given(): Promise<number> {
  const { entries } = await world.sim<{ entries: { what: string; xmlns?: string; type?: string }[] }>(
    'GET',
    `/log?number=${ANNA}`,
  )
  return entries.filter(({ what, xmlns, type }) => what === 'iq' && xmlns === 'privacy' && type === 'set')
    .length
}

test('a contact is given one token for many messages, on this socket and on the next', async () => {
  const instance = await world.linked(ANNA)
  const line = await opened(instance)
  await send(line, 'FIRST')
  await until(async () => (await world.credentials.all(instance, 'tctoken')).size > 0)
  for (const id of ['SECOND', 'THIRD']) await send(line, id)
  await line.connection.close()
  const next = await opened(instance)
  for (const id of ['FOURTH', 'FIFTH']) await send(next, id)
  expect(await given()).toBe(1)
})
