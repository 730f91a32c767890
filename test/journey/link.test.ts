// Linking a device: by QR code, by pairing code, and what happens when it goes wrong.

import { expect, test } from 'vitest'
import { createDevice, createPhone, linkDevice, subscribeReceiver, waitUntilConnected } from '../device.ts'
import { startStage } from '../scene.ts'
import { until } from '../until.ts'

const { world, receiver } = await startStage()

test('connect returns a QR code as text and as a picture, and scanning it logs the instance in', async () => {
  const device = await createDevice(world)
  const number = await createPhone(world)

  const connect = await device.caller.post('/instance/connect')
  expect(connect.status).toBe(200)
  expect(connect.body).toMatchObject({ loggedIn: false, jid: '', instance: { status: 'connecting' } })
  const { method, qr, qrcode, expiresAt } = connect.body.pairing
  expect(method).toBe('qr')
  expect(qrcode).toMatch(/^data:image\/png;base64,iVBOR/)
  expect(connect.body.instance.qrcode).toBe(qrcode)
  expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now())

  await world.sim('POST', `/phones/${number}/scan`, { qr })
  await waitUntilConnected(device)
  const status = await device.caller.get('/instance/status')
  expect(status.body).toMatchObject({
    connected: true,
    loggedIn: true,
    jid: `${number}@s.msgnet.net`,
    instance: { status: 'connected', owner: number, qrcode: '' },
  })
  expect(status.body.pairing).toBeUndefined()
})

test('the profile name is known once the device is linked, without a message, and after each start', async () => {
  const device = await linkDevice(world, await createDevice(world))
  const readName = async () => (await device.caller.get('/instance/status')).body.instance.profileName
  expect(await readName()).toBe('Owner')
  const instances = (await world.admin.get('/instance/all')).body
  expect(instances.find(({ id }: { id: string }) => id === device.id)).toMatchObject({ profileName: 'Owner' })

  await world.sim('POST', '/phones', { number: device.number, name: 'New owner' })
  await world.killAndRestart()
  await waitUntilConnected(device)
  await until(async () => (await readName()) === 'New owner')
})

test('status shows the code that connect returned during a pairing', async () => {
  const device = await createDevice(world)
  const connect = await device.caller.post('/instance/connect')
  const status = await device.caller.get('/instance/status')
  expect(status.body.pairing).toEqual(connect.body.pairing)
})

test('connect with a phone number returns a pairing code, and typing it on the phone logs the instance in', async () => {
  const device = await createDevice(world)
  const number = await createPhone(world)
  const connect = await device.caller.post('/instance/connect', { phone: number })
  expect(connect.status).toBe(200)
  expect(connect.body.pairing.method).toBe('code')
  expect(connect.body.pairing.code).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/)
  expect(connect.body.instance.paircode).toBe(connect.body.pairing.code)

  await world.sim('POST', `/phones/${number}/code`, { code: connect.body.pairing.code })
  await waitUntilConnected(device)
  expect((await device.caller.get('/instance/status')).body.jid).toBe(`${number}@s.msgnet.net`)
})

test('a wrong pairing code is refused on the phone and leaves the instance unpaired', async () => {
  const device = await createDevice(world)
  const number = await createPhone(world)
  await device.caller.post('/instance/connect', { phone: number })
  await expect(world.sim('POST', `/phones/${number}/code`, { code: 'AAAA-AAAA' })).rejects.toThrow('409')
  const status = await device.caller.get('/instance/status')
  expect(status.body).toMatchObject({ loggedIn: false, jid: '' })
})

test('connecting a connected instance returns its state and opens no second session', async () => {
  const device = await linkDevice(world, await createDevice(world))
  const again = await device.caller.post('/instance/connect')
  expect(again.body).toMatchObject({ connected: true, loggedIn: true })
  const { entries } = await world.sim('GET', `/log?number=${device.number}`)
  expect((entries as { what: string }[]).filter(({ what }) => what === 'login')).toHaveLength(1)
})

test('every change of state is an event: connecting, connected, logged out by the phone', async () => {
  const fresh = await createDevice(world)
  await subscribeReceiver(fresh, receiver, 'connection')
  const device = await linkDevice(world, fresh)
  const listOwnDeliveries = () =>
    receiver.deliveries.filter(({ envelope }) => envelope.instanceId === device.id)
  await until(() => listOwnDeliveries().some(({ body }) => body.includes('"connected"')))

  await world.sim('POST', `/phones/${device.number}/unlink`, {})
  await until(() => listOwnDeliveries().some(({ body }) => body.includes('logged_out')))
  const status = await device.caller.get('/instance/status')
  expect(status.body).toMatchObject({
    connected: false,
    loggedIn: false,
    jid: '',
    instance: { status: 'disconnected', lastDisconnectReason: 'logged_out', owner: '' },
  })
  const seqs = listOwnDeliveries().map(({ envelope }) => envelope.seq)
  expect(seqs).toEqual([...seqs].sort((a, b) => a - b))
})

test('disconnect reports the confirmation of the network, and connecting again requires a new code', async () => {
  const device = await linkDevice(world, await createDevice(world))
  const gone = await device.caller.post('/instance/disconnect')
  expect(gone.body).toMatchObject({ unlinked: true, connected: false, loggedIn: false, jid: '' })
  expect(await world.sim('GET', `/phones/${device.number}`)).toMatchObject({ companions: [] })
  expect((await device.caller.post('/instance/connect')).body.pairing.method).toBe('qr')
})

test('disconnecting an unlinked instance succeeds and unlinks nothing', async () => {
  const device = await createDevice(world)
  const gone = await device.caller.post('/instance/disconnect')
  expect(gone.status).toBe(200)
  expect(gone.body.unlinked).toBe(false)
})

test('a restarted instance is logged in again without pairing', async () => {
  const device = await linkDevice(world, await createDevice(world))
  const restart = await device.caller.post('/instance/restart')
  expect(restart.status).toBe(200)
  expect(restart.body).toMatchObject({ response: expect.any(String), jid: `${device.number}@s.msgnet.net` })
  await waitUntilConnected(device)
  const { entries } = await world.sim('GET', `/log?number=${device.number}`)
  expect((entries as { what: string }[]).filter(({ what }) => what === 'login')).toHaveLength(2)
})

test('a deleted instance is unlinked, its token is invalid and it is in no list', async () => {
  const device = await linkDevice(world, await createDevice(world))
  const gone = await device.caller.delete('/instance')
  expect(gone.body).toEqual({ response: 'Instance deleted', unlinked: true })
  expect((await device.caller.get('/instance/status')).status).toBe(401)
  expect((await world.admin.get('/instance/all')).text).not.toContain(device.id)
  expect((await world.admin.get(`/v1/instances/${device.id}`)).status).toBe(404)
  expect(await world.sim('GET', `/phones/${device.number}`)).toMatchObject({ companions: [] })
})
