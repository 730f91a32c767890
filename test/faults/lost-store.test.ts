// A host that comes back without its store: its instances report it, and none is paired anew without a request.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createDevice, linkDevice, subscribeReceiver, waitUntilConnected } from '../device.ts'
import { startStage } from '../scene.ts'
import { until } from '../until.ts'

const { world, receiver } = await startStage()

const readStatus = async ({ caller }: { caller: { get(path: string): Promise<{ body: unknown }> } }) =>
  (await caller.get('/instance/status')).body

const createLostStatus = (jid: string) => ({
  connected: false,
  loggedIn: false,
  jid,
  instance: { status: 'disconnected', lastDisconnectReason: 'bad_session', qrcode: '' },
})

test('a linked device without its keys is reported as bad_session, shows no QR, and can be paired again after a disconnect', async () => {
  const [busy, idle] = [await createDevice(world, 'Busy'), await createDevice(world, 'Idle')]
  await subscribeReceiver(busy, receiver, ['connection'])
  const [first, second] = [await linkDevice(world, busy), await linkDevice(world, idle)]
  await world.sim('POST', '/faults', { kind: 'close', number: second.number, code: 440, count: 1 })
  await until(async () => (await idle.caller.get('/instance/status')).body.instance.status === 'disconnected')

  await world.killAndRestart(() => rmSync(join(world.dataDir, 'host'), { recursive: true }))

  for (const { caller, number } of [first, second]) {
    const jid = `${number}@s.msgnet.net`
    const gone = createLostStatus(jid)
    await until(
      async () =>
        ((await readStatus({ caller })) as typeof gone).instance.lastDisconnectReason === 'bad_session',
    )
    expect(await readStatus({ caller })).toMatchObject(gone)
    const again = await caller.post('/instance/connect')
    expect(again.body).toMatchObject(gone)
    expect(again.body.pairing).toBe(undefined)
    expect((await caller.post('/send/text', { number, text: 'hello' })).body.error).toBe('not_connected')
  }
  await receiver.waitForDelivery(
    ({ EventType, instance }) =>
      EventType === 'connection' &&
      (instance as { lastDisconnectReason: string }).lastDisconnectReason === 'bad_session',
  )

  const unlinked = await busy.caller.post('/instance/disconnect')
  expect(unlinked.body).toMatchObject({ unlinked: false, jid: '' })
  await busy.caller.post('/instance/connect')
  const qr = await until(async () => (await busy.caller.get('/instance/status')).body.pairing?.qr)
  await world.sim('POST', `/phones/${first.number}/scan`, { qr })
  await waitUntilConnected(busy)
})
