// A variable that holds nothing but blanks, as a line of a file of variables with a space left at its end.

import { readNumber } from '@msgnet/bridges/bridge-variables.ts'
import { readSettings } from '@msgnet/cli/settings/gateway-settings.ts'
import { readConfig } from '@msgnet/session-host/config.ts'
import { createToken } from '@msgnet/shared/random-tokens.ts'
import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => vi.unstubAllEnvs())

const host = {
  EDGE_URL: 'http://127.0.0.1:1',
  HOST_TOKEN: createToken('host'),
  NETWORK: 'live',
  HOST_SEAL_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
}

test.each(['SEND_RATE', 'REQUEST_RATE', 'BODY_MB', 'PORT', 'MEDIA_STRANGERS_MB', 'LEASE_MS'])(
  '%s of blanks stops the start, and does not count as 0',
  (name) => {
    for (const blank of [' ', '\t'])
      expect(() => readSettings({ [name]: blank })).toThrow(`${name} must be a whole number.`)
  },
)

test.each(['SEND_RATE', 'DOWNLOAD_MB', 'METRICS_PORT'])('so does %s of a host that runs alone', (name) => {
  expect(() => readConfig({ ...host, [name]: ' ' })).toThrow(`${name} must be a whole number.`)
})

test('a number with a blank beside it counts, and an empty variable is not set', () => {
  expect(readSettings({ SEND_RATE: ' 7 ' }).SEND_RATE).toBe(7)
  expect(readSettings({ SEND_RATE: '' }).SEND_RATE).toBe(100)
  expect(readConfig({ ...host, KEEP_MESSAGES_DAYS: '7 ' }).messageRetentionDays).toBe(7)
})

test('a number of a bridge is not 0 because it is blanks', () => {
  vi.stubEnv('HISTORY_DAYS', ' ')
  expect(() => readNumber('HISTORY_DAYS', 7)).toThrow('HISTORY_DAYS must be a number')
  expect(() => readNumber('HISTORY_DAYS')).toThrow('HISTORY_DAYS must be a number')
  vi.stubEnv('HISTORY_DAYS', ' 7 ')
  expect(readNumber('HISTORY_DAYS')).toBe(7)
})
