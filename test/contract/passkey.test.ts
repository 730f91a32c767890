// Linking an account that demands a passkey, by the routes of the API.

import type { PasskeyOptions } from '@msgnet/shared/contract/passkey-requests.ts'
import { expect, test } from 'vitest'
import { createAuthenticator } from '../authenticator.ts'
import { borrowForFile } from '../borrowed-world.ts'
import { createDevice, createPhone, type Device } from '../device.ts'
import { until } from '../until.ts'

const world = await borrowForFile()
const authenticator = createAuthenticator()
const nothing = { assertion: authenticator.signChallenge({ challenge: 'AAAA', rpId: 'localhost' }) }

/** A device whose QR code was scanned by a phone with a passkey. */
async function scanPairing(): Promise<Device & { number: string; passkey: { options: PasskeyOptions } }> {
  const device = await createDevice(world)
  const number = await createPhone(world, 'Owner', { passkey: true })
  await world.sim('POST', `/phones/${number}/passkey/credentials`, authenticator.created)
  const { body } = await device.caller.post('/instance/connect')
  await world.sim('POST', `/phones/${number}/scan`, { qr: body.pairing.qr })
  const passkey = await until(async () => (await device.caller.get('/instance/status')).body.pairing?.passkey)
  return { ...device, number, passkey }
}

test('a passkey that was not requested is 409 session_conflict, by its id too', async () => {
  const device = await createDevice(world)
  const before = await device.caller.post('/instance/connect/passkey', nothing)
  expect(before).toMatchObject({ status: 409, body: { error: 'session_conflict' } })
  await device.caller.post('/instance/connect')
  for (const response of [
    await device.caller.post('/instance/connect/passkey', nothing),
    await world.admin.post(`/v1/instances/${device.id}/connect/passkey`, nothing),
  ])
    expect(response).toMatchObject({ status: 409, body: { error: 'session_conflict' } })
  const wrong = await device.caller.post('/instance/connect/passkey', { assertion: { id: 'x' } })
  expect(wrong).toMatchObject({ status: 400, body: { error: 'invalid_body' } })
})

test('the pairing shows the passkey options, then the code to compare, and the device is linked', async () => {
  const { id, caller, number, passkey } = await scanPairing()
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
  const stranger = { assertion: createAuthenticator().signChallenge(options) }
  const refused = await caller.post('/instance/connect/passkey', stranger)
  expect(refused).toMatchObject({ status: 422, body: { error: 'operation_refused', provider_code: 401 } })
  const renewed = await until(async () => {
    const now = (await caller.get('/instance/status')).body.pairing.passkey.options
    return JSON.stringify(now) !== JSON.stringify(options) && now
  })
  const sent = await caller.post('/instance/connect/passkey', {
    assertion: authenticator.signChallenge(renewed),
  })
  expect(sent).toMatchObject({ status: 200, body: { loggedIn: false, instance: { id } } })
  const { confirmation } = sent.body.pairing.passkey
  const { linking } = await world.sim('GET', `/phones/${number}/passkey`)
  expect(linking).toMatchObject({ stage: 'confirmation', confirmation })
  const again = await caller.post('/instance/connect/passkey', {
    assertion: authenticator.signChallenge(renewed),
  })
  expect(again).toMatchObject({ status: 409, body: { error: 'session_conflict' } })
  await world.sim('POST', `/phones/${number}/passkey/confirm`, {})
  await until(async () => (await caller.get('/instance/status')).body.loggedIn)
  expect((await caller.get('/instance/status')).body).not.toHaveProperty('pairing')
})

test('a disconnect ends a pairing that waits for a passkey, and the next one starts with a QR code', async () => {
  const { caller } = await scanPairing()
  const ended = await caller.post('/instance/disconnect')
  expect(ended.body).toMatchObject({ unlinked: false, instance: { lastDisconnectReason: 'by_request' } })
  expect((await caller.post('/instance/connect')).body.pairing.qr).not.toBe('')
})
