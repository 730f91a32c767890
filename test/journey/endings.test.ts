// Everything that is sent and that is asked of groups, by each way in which that can end. Only what the network has confirmed is a 200.

import { expect, test } from 'vitest'
import { createDevice, linkDevice } from '../device.ts'
import { borrowStage } from '../scene.ts'
import { until } from '../until.ts'
import { impatient } from '../world.ts'
import { breakStore } from './endings/broken-store.ts'
import { groups } from './endings/group-rows.ts'
import { messages } from './endings/message-rows.ts'
import type { Logged } from './endings/row.ts'
import { testEndings } from './endings/test-endings.ts'

const { world } = await borrowStage(impatient)

await testEndings(world, [...messages, ...groups])

test.each([
  ['POST', '/instance/disconnect'],
  ['DELETE', '/instance'],
])('%s %s reports unlinked when the store fails after the network confirmed it', async (method, path) => {
  const { caller, number } = await linkDevice(world, await createDevice(world))
  await world.sim('POST', '/faults', { kind: 'slow', number, xmlns: 'md', ms: 700, count: 1 })
  const pending = caller.request(method, path, {})
  await until(async () => {
    const { entries } = await world.sim('GET', `/log?number=${number}`)
    return (entries as Logged[]).some(({ child }) => child === 'remove-companion-device')
  })
  const mend = breakStore(world.dataDir)
  const response = await pending.finally(mend)
  expect(response, response.text).toMatchObject({ status: 200, body: { unlinked: true } })
  expect((await world.sim('GET', `/phones/${number}`)).companions).toEqual([])
  if (method === 'DELETE') return
  const again = await caller.post('/instance/connect')
  expect(again.body).toMatchObject({ loggedIn: false, pairing: { method: 'qr' } })
})
