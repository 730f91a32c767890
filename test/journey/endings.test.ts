// Everything that is sent and that is asked of groups, by each way in which that can end. Only what the network has confirmed is a 200.

import { expect, test } from 'vitest'
import { createDevice, createPhone, linkDevice } from '../device.ts'
import { PIXEL } from '../scenarios/table/pixel.ts'
import { borrowStage } from '../scene.ts'
import { until } from '../until.ts'
import { impatient } from '../world.ts'
import { breakStore, refuseMessages } from './endings/broken-store.ts'
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

test('a file of an album that could not be stored before it left is told as unsent', async () => {
  const { caller } = await linkDevice(world, await createDevice(world))
  const friend = await createPhone(world)
  const files = [PIXEL, PIXEL].map((file) => ({ type: 'image', file: file.toString('base64') }))
  const mend = refuseMessages(world.dataDir, 'imageMessage')
  const { status, body } = await caller.post('/send/album', { number: friend, files }).finally(mend)
  expect([status, body.sent, body.unsent, body.messages]).toEqual([200, 0, 2, []])
  const inbox = await world.sim('GET', `/phones/${friend}/inbox`)
  expect(inbox.messages).toMatchObject([{ type: 'album' }])
})
