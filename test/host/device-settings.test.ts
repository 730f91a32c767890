// How a device names itself and which version it announces: from the settings, and to the network.

import { readSettings } from '@msgnet/cli/settings/gateway-settings.ts'
import { readConfig } from '@msgnet/session-host/config.ts'
import { toPairingCodeName } from '@msgnet/session-host/driver/baileys/connection/device-label.ts'
import { expect, test } from 'vitest'

const env = {
  EDGE_URL: 'http://127.0.0.1:8787',
  HOST_TOKEN: `mgh_${'a'.repeat(43)}`,
  NETWORK_ROOT_KEY: 'ab'.repeat(32),
  HOST_SEAL_KEYS: `h1:${Buffer.alloc(32).toString('base64')}`,
}

test.each([
  ['NETWORK_VERSION', '2.3000'],
  ['NETWORK_VERSION', '2.2413.51'],
  ['NETWORK_VERSION', 'latest'],
  ['DEVICE_NAME', ' Acme'],
  ['DEVICE_NAME', 'Acme <b>'],
  ['DEVICE_NAME', 'a'.repeat(41)],
  ['DEVICE_PLATFORM', 'Netscape'],
  ['DEVICE_PLATFORM', 'chrome'],
])('a wrong %s (%s) is refused at the start', (name, value) => {
  expect(() => readConfig({ ...env, [name]: value })).toThrow(`${name} must`)
})

test.each([
  ['/no/such/certificate.pem', 'or the path of one: that path cannot be read (ENOENT)'],
  [import.meta.dirname, 'or the path of one: that path cannot be read (EISDIR)'],
  [`${import.meta.filename}/ca.pem`, 'or the path of one: that path cannot be read (ENOTDIR)'],
  [import.meta.filename, 'NETWORK_MEDIA_CA must be a certificate in PEM, or the path of one'],
  ['-----BEGIN PRIVATE KEY-----', 'NETWORK_MEDIA_CA must be a certificate in PEM, or the path of one'],
])('for the certificate %s host and gateway say at the start what is wrong with it', (value, words) => {
  expect(() => readConfig({ ...env, NETWORK_MEDIA_CA: value })).toThrow(words)
  expect(() => readSettings({ NETWORK_MEDIA_CA: value })).toThrow(words)
})

test("the configured version is announced, or the library's own without one", () => {
  expect(readConfig({ ...env, NETWORK_VERSION: 'auto' }).network.version).toBe('auto')
  expect(readConfig({ ...env, NETWORK_VERSION: '2.3000.1050000000' }).network.version).toEqual([
    2, 3000, 1_050_000_000,
  ])
  expect(readConfig(env).network.version).toBeUndefined()
})

test("a system's name is sent unchanged, and any other name is Windows for a pairing code", () => {
  const preset = readConfig(env).device
  expect(preset).toEqual({ name: 'Windows', platform: 'Chrome' })
  const { device } = readConfig({ ...env, DEVICE_NAME: 'Loja do João', DEVICE_PLATFORM: 'Edge' })
  expect(device).toEqual({ name: 'Loja do João', platform: 'Edge' })
  expect(toPairingCodeName({ name: 'Loja do João', platform: 'Edge' })).toBe('Edge (Windows)')
  expect(toPairingCodeName({ name: 'Mac OS', platform: 'Safari' })).toBe('Safari (Mac OS)')
})
