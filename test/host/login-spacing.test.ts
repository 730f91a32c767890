// How far apart the sockets of one session are, by a clock that the test moves.

import { expect, test } from 'vitest'
import { SECOND } from '../../shared/clock.ts'
import { oneReconnect } from './one-reconnect.ts'

test('after a socket that was open for a while the next follows at once', async () => {
  const { clock, sockets, heard, end } = await oneReconnect()
  sockets[0]?.events.open({ jid: '1@s', lid: '', profileName: '' })
  await heard()
  await clock.move(3 * SECOND)
  expect(await end('restart')).toBe(0)
})

test('after a socket that was just opened the next is a second away', async () => {
  const { clock, sockets, heard, end } = await oneReconnect()
  await clock.move(700)
  sockets[0]?.events.open({ jid: '1@s', lid: '', profileName: '' })
  await heard()
  expect(await end('restart')).toBe(SECOND)
})

test('after a socket that ended before it was open the next is a second away: the network may have counted a login', async () => {
  const { clock, end } = await oneReconnect()
  await clock.move(700)
  expect(await end('restart')).toBe(SECOND)
})
