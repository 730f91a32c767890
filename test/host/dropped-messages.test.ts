// What the library decrypts and never hands over does not grow: not in memory, and not on the disk.

import type { NetworkMessage } from '@msgnet/session-host/driver/driver.ts'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../until.ts'
import { Client } from '../wire/client.ts'
import { startDriver } from './driver.ts'

const ANNA = '5511300000001'
const CARL = '5511300000002'
const to = `${ANNA}@s.whatsapp.net`

test('a session stores at most a few megabytes of reactions that the library drops', async () => {
  const world = await startDriver()
  onTestFinished(() => world.close())
  const instance = await world.linkPhone(ANNA)
  const received: NetworkMessage[] = []
  const line = await world.connectInstance(instance, {
    onMessages: async (all) => void received.push(...all),
  })
  await until(() => line.account)
  // The library as it is published writes to numbers.
  await world.sim('POST', '/phones', { number: CARL, name: 'Carl', lidMigrated: false })
  const carl = new Client(() => world.networkUrl)
  onTestFinished(() => carl.end())
  carl.connect()
  await world.sim('POST', `/phones/${CARL}/scan`, { qr: await carl.waitForQr() })
  await carl.waitForClose()
  await carl.goOnline()

  const reaction = { reactionMessage: { text: 'x'.repeat(900_000) } }
  for (let count = 0; count < 8; count++) await carl.socket.relayMessage(to, reaction, {})
  await carl.socket.relayMessage(to, { conversation: 'the end' }, {})
  await until(() => received.some(({ text }) => text === 'the end'), { within: 45_000 })
  await until(async () => (await world.credentials.readAll(instance, 'received')).size < 6)
  expect(received.filter(({ text }) => text !== 'the end')).toEqual([])
})
