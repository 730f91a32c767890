// A host that is restarted while a pairing waits for a passkey.

import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { KIND, startWorld } from './world.ts'

test('a pairing that waits for a passkey ends with a reason when its host restarts, and can start again', async () => {
  const world = await startWorld()
  const instance = crypto.randomUUID()
  await world.sim('POST', '/phones', { number: '4917000880201', passkey: true })
  const beginConnecting = async () => {
    const outcome = await world.edge.performAction(instance, 'session.connect', KIND)
    return outcome.kind === 'done' && outcome.result.pairing?.method === 'qr' ? outcome.result.pairing.qr : ''
  }
  await world.sim('POST', '/phones/4917000880201/scan', { qr: await beginConnecting() })
  await until(() => world.findState(instance)?.pairing?.passkey)
  await world.restartHost()
  const ended = { status: 'disconnected', pairing: null, lastDisconnectReason: 'pairing_expired' }
  await until(() => world.findState(instance)?.status === 'disconnected')
  expect(world.findState(instance)).toMatchObject(ended)
  expect(await beginConnecting()).toContain(',')
  await world.close()
})
