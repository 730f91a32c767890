// What is shown while a device is linked holds the device's own secret: no file has it, and no row once the linking has ended.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAuthenticator } from '../authenticator.ts'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createDevice, createPhone, type Device, waitUntilConnected } from '../device.ts'
import { until } from '../until.ts'

let world: BorrowedWorld

beforeAll(async () => {
  world = await borrowWorld()
})

afterAll(() => world.close())

/** Files of the gateway that hold this text; the simulated network has it of course. */
function findFilesWith(text: string): string[] {
  const found: string[] = []
  const searchFolder = (folder: string) => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name)
      if (path === join(world.dataDir, 'simulator')) continue
      if (statSync(path).isDirectory()) searchFolder(path)
      else if (readFileSync(path).includes(text)) found.push(path)
    }
  }
  searchFolder(world.dataDir)
  return found
}

const readPairing = async (device: Device) =>
  (await world.queryDatabase(`select pairing, pairing_until from instances where id = '${device.id}'`))[0]

test('a QR code is in no file as text or picture, and is deleted from the row when the device is linked', async () => {
  const device = await createDevice(world)
  const number = await createPhone(world)
  const { pairing } = (await device.caller.post('/instance/connect')).body
  // The status comes from the database too.
  expect((await device.caller.get('/instance/status')).body.pairing).toEqual(pairing)
  // The place at the server, two public keys, the secret, the kind of device.
  const secret = String(pairing.qr).split(',')[3] ?? ''
  expect(secret).toMatch(/^[\w+/=]{40,}$/)
  expect(findFilesWith(secret)).toEqual([])
  expect(findFilesWith(pairing.qrcode.slice(-60))).toEqual([])
  expect((await readPairing(device))?.pairing).toBeInstanceOf(ArrayBuffer)

  await world.sim('POST', `/phones/${number}/scan`, { qr: pairing.qr })
  await waitUntilConnected(device)
  expect(await readPairing(device)).toEqual({ pairing: null, pairing_until: 0 })
})

test('a pairing code is in no file, and is deleted from the row at disconnect', async () => {
  const device = await createDevice(world)
  const number = await createPhone(world)
  const { pairing } = (await device.caller.post('/instance/connect', { phone: number })).body
  expect(pairing.code).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/)
  expect(findFilesWith(pairing.code)).toEqual([])
  await device.caller.post('/instance/disconnect')
  expect(await readPairing(device)).toEqual({ pairing: null, pairing_until: 0 })
})

test('the challenge of a passkey and its signature are in no file, and are deleted from the row at disconnect', async () => {
  const device = await createDevice(world)
  const owner = createAuthenticator()
  const number = await createPhone(world, 'Owner', { passkey: true })
  await world.sim('POST', `/phones/${number}/passkey/credentials`, owner.created)
  const { qr } = (await device.caller.post('/instance/connect')).body.pairing
  await world.sim('POST', `/phones/${number}/scan`, { qr })
  const { options } = await until(
    async () => (await device.caller.get('/instance/status')).body.pairing?.passkey,
  )
  const assertion = owner.signChallenge(options)
  const { pairing } = (await device.caller.post('/instance/connect/passkey', { assertion })).body
  for (const secret of [options.challenge, assertion.response.signature, pairing.passkey.confirmation])
    expect(findFilesWith(secret)).toEqual([])
  await device.caller.post('/instance/disconnect')
  expect(await readPairing(device)).toEqual({ pairing: null, pairing_until: 0 })
})
