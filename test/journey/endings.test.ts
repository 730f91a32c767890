// Everything that is sent and that is asked of groups, by each way in which that can end. Only what the network has confirmed is a 200.

import { expect, test } from 'vitest'
import { link, makeDevice } from '../device.ts'
import { setStage } from '../scene.ts'
import { until } from '../until.ts'
import { breakStore } from './asked/broken-store.ts'
import { testEndings } from './asked/endings.ts'
import { groups } from './asked/groups.ts'
import { messages } from './asked/messages.ts'
import type { Logged } from './asked/row.ts'

const { world } = await setStage({ CALLS: 'on', ACTION_TIMEOUT_MS: '8000' })

await testEndings(world, [...messages, ...groups])

test.each([
  ['POST', '/instance/disconnect'],
  ['DELETE', '/instance'],
])('%s %s says unlinked though the store fails once the network has it', async (method, path) => {
  const { caller, number } = await link(world, await makeDevice(world))
  await world.sim('POST', '/faults', { kind: 'slow', number, xmlns: 'md', ms: 700, count: 1 })
  const asking = caller.ask(method, path, {})
  await until(async () => {
    const { entries } = await world.sim('GET', `/log?number=${number}`)
    return (entries as Logged[]).some(({ child }) => child === 'remove-companion-device')
  })
  const mend = breakStore(world.dataDir)
  const answer = await asking.finally(mend)
  expect(answer, answer.text).toMatchObject({ status: 200, body: { unlinked: true } })
  expect((await world.sim('GET', `/phones/${number}`)).companions).toEqual([])
  if (method === 'DELETE') return
  const again = await caller.post('/instance/connect')
  expect(again.body).toMatchObject({ loggedIn: false, pairing: { method: 'qr' } })
})
