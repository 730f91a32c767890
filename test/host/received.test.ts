// Between the network's "they have it" and our disk no message is lost: it is told again by the next connection.

import { expect, test } from 'vitest'
import type { NetworkMessage } from '../../session-host/driver/driver.ts'
import { until } from '../until.ts'
import { startDriver } from './driver.ts'

const ANNA = '5511300000001'
const BEN = '5511300000002'

test.each(['pn', 'lid'])(
  'a message that was not stored is told again, with all that was known (%s)',
  async (addressing) => {
    const world = await startDriver()
    await world.sim('POST', '/phones', { number: BEN, name: 'Ben' })
    const instance = await world.linked(ANNA)

    const first: NetworkMessage[] = []
    // Like a process that dies before its commit: it is never stored.
    const dying = await world.connect(instance, {
      messages: (messages) => {
        first.push(...messages)
        return new Promise(() => undefined)
      },
    })
    await until(() => dying.account)
    await world.sim('POST', '/messages', { from: BEN, to: ANNA, text: 'hold on to me', addressing })
    await until(() => first.length === 1)
    await dying.connection.close()

    const second: NetworkMessage[] = []
    const living = await world.connect(instance, { messages: async (all) => void second.push(...all) })
    await until(() => second.length === 1)
    expect(second).toEqual(first)
    expect(second[0]).toMatchObject({ text: 'hold on to me', senderName: 'Ben' })
    await until(async () => (await world.credentials.all(instance, 'received')).size === 0)
    await living.connection.close()

    const third: NetworkMessage[] = []
    const last = await world.connect(instance, { messages: async (all) => void third.push(...all) })
    await until(() => last.account)
    await last.connection.close()
    expect(third).toEqual([])
    await world.close()
  },
)
