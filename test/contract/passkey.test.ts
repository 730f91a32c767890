// Linking an account that demands a passkey, by the routes of the API.

import { expect, test } from 'vitest'
import type { PasskeyOptions } from '../../shared/contract/passkey.ts'
import { makeAuthenticator } from '../authenticator.ts'
import { type Device, makeDevice, makePhone } from '../device.ts'
import { sharedWorld } from '../shared-world.ts'
import { until } from '../until.ts'

const world = await sharedWorld()
const authenticator = makeAuthenticator()
const nothing = { assertion: authenticator.sign({ challenge: 'AAAA', rpId: 'localhost' }) }

/** A device whose QR code was scanned by a phone with a passkey. */
async function scanned(): Promise<Device & { number: string; passkey: { options: PasskeyOptions } }> {
  const device = await makeDevice(world)
  const number = await makePhone(world, 'Owner', { passkey: true })
  await world.sim('POST', `/phones/${number}/passkey/credentials`, authenticator.created)
  const { body } = await device.caller.post('/instance/connect')
  await world.sim('POST', `/phones/${number}/scan`, { qr: body.pairing.qr })
  const passkey = await until(async () => (await device.caller.get('/instance/status')).body.pairing?.passkey)
  return { ...device, number, passkey }
}

test('an instance that nobody asked for a passkey answers 409 session_conflict, by its id too', async () => {
  const device = await makeDevice(world)
  const before = await device.caller.post('/instance/connect/passkey', nothing)
  expect(before).toMatchObject({ status: 409, body: { error: 'session_conflict' } })
  await device.caller.post('/instance/connect')
  for (const answer of [
    await device.caller.post('/instance/connect/passkey', nothing),
    await world.admin.post(`/v1/instances/${device.id}/connect/passkey`, nothing),
  ])
    expect(answer).toMatchObject({ status: 409, body: { error: 'session_conflict' } })
  const wrong = await device.caller.post('/instance/connect/passkey', { assertion: { id: 'x' } })
  expect(wrong).toMatchObject({ status: 400, body: { error: 'invalid_body' } })
})

test('the pairing says what has to be signed, then which code to compare, and the owner links the device', async () => {
  const { id, caller, number, passkey } = await scanned()
  const status = (await caller.get('/instance/status')).body
  expect(status).toMatchObject({
    pairing: {
      method: 'qr',
      qr: '',
      qrcode: '',
      passkey: { confirmation: '', expiresAt: expect.any(String) },
    },
    instance: { status: 'connecting', qrcode: '', paircode: '' },
  })
  const { options } = passkey
  const old = await caller.post('/instance/connect/passkey', nothing)
  expect(old).toMatchObject({
    status: 422,
    body: { error: 'operation_refused', error_key: 'other_challenge' },
  })
  const stranger = { assertion: makeAuthenticator().sign(options) }
  const refused = await caller.post('/instance/connect/passkey', stranger)
  expect(refused).toMatchObject({ status: 422, body: { error: 'operation_refused', provider_code: 401 } })
  const renewed = await until(async () => {
    const now = (await caller.get('/instance/status')).body.pairing.passkey.options
    return JSON.stringify(now) !== JSON.stringify(options) && now
  })
  const sent = await caller.post('/instance/connect/passkey', { assertion: authenticator.sign(renewed) })
  expect(sent).toMatchObject({ status: 200, body: { loggedIn: false, instance: { id } } })
  const { confirmation } = sent.body.pairing.passkey
  const { linking } = await world.sim('GET', `/phones/${number}/passkey`)
  expect(linking).toMatchObject({ stage: 'confirmation', confirmation })
  const again = await caller.post('/instance/connect/passkey', { assertion: authenticator.sign(renewed) })
  expect(again).toMatchObject({ status: 409, body: { error: 'session_conflict' } })
  await world.sim('POST', `/phones/${number}/passkey/confirm`, {})
  await until(async () => (await caller.get('/instance/status')).body.loggedIn)
  expect((await caller.get('/instance/status')).body).not.toHaveProperty('pairing')
})

test('a pairing that waits for a passkey ends by a disconnect, and a new one begins with a QR code', async () => {
  const { caller } = await scanned()
  const ended = await caller.post('/instance/disconnect')
  expect(ended.body).toMatchObject({ unlinked: false, instance: { lastDisconnectReason: 'by_request' } })
  expect((await caller.post('/instance/connect')).body.pairing.qr).not.toBe('')
})
