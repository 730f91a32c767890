// What the library decrypts and never hands over does not grow: not in memory, and not on the disk.

import { expect, onTestFinished, test } from 'vitest'
import type { NetworkMessage } from '../../session-host/driver/driver.ts'
import { until } from '../until.ts'
import { Client } from '../wire/client.ts'
import { startDriver } from './driver.ts'

const ANNA = '5511300000001'
const CARL = '5511300000002'
const to = `${ANNA}@s.whatsapp.net`

test('of reactions to nothing, which the library drops, a session keeps a few megabytes at most', async () => {
  const world = await startDriver()
  onTestFinished(() => world.close())
  const instance = await world.linked(ANNA)
  const told: NetworkMessage[] = []
  const line = await world.connect(instance, { messages: async (all) => void told.push(...all) })
  await until(() => line.account)
  // The library as it is published writes to numbers.
  await world.sim('POST', '/phones', { number: CARL, name: 'Carl', lidMigrated: false })
  const carl = new Client(() => world.networkUrl)
  onTestFinished(() => carl.end())
  carl.connect()
  await world.sim('POST', `/phones/${CARL}/scan`, { qr: await carl.qr() })
  await carl.closed()
  await carl.online()

  const reaction = { reactionMessage: { text: 'x'.repeat(900_000) } }
  for (let count = 0; count < 8; count++) await carl.socket.relayMessage(to, reaction, {})
  await carl.socket.relayMessage(to, { conversation: 'the end' }, {})
  await until(() => told.some(({ text }) => text === 'the end'), { within: 45_000 })
  await until(async () => (await world.credentials.all(instance, 'received')).size < 6)
  expect(told.filter(({ text }) => text !== 'the end')).toEqual([])
})
