// Unreadable settings from the network are in the log, and nowhere else.

import pino from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../until.ts'
import { startDriver } from './driver.ts'

const ANNA = '5511300000001'
const BEN = '5511300000002'

test.each([
  ['somebody who is blocked', { path: `/phones/${ANNA}/profile`, method: 'PATCH', body: { block: [BEN] } }],
  [
    'a chat that is archived',
    {
      path: `/phones/${ANNA}/settings`,
      method: 'POST',
      body: { action: 'archive', chat: BEN, archived: true },
    },
  ],
])('%s is in the log where his ids cannot be looked up', async (_, { path, method, body }) => {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })
  let broken = false
  const world = await startDriver(
    (store) => ({
      ...store,
      async read(instance, kind, ids) {
        if (broken && kind === 'lid-mapping') throw new Error('nothing can be looked up')
        return store.read(instance, kind, ids)
      },
    }),
    { log },
  )
  onTestFinished(() => world.close())
  await world.sim('POST', '/phones', { number: BEN })
  const line = await world.connectInstance(await world.linkPhone(ANNA))
  await until(() => line.account)
  broken = true
  await world.sim(method, path, body)
  const found = await until(() => lines.find((one) => one.includes('failed to read setting change')))
  expect(JSON.parse(found)).toMatchObject({ error: expect.anything() })
})
