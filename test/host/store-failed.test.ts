// A session whose own store fails when it is to connect: it is back soon after the store is, and the network's backoff is what it was.

import { beforeEach, expect, test, vi } from 'vitest'
import { MINUTE, SECOND } from '../../shared/clock.ts'
import { oneReconnect } from './one-reconnect.ts'

// Every wait is as long as it may be.
beforeEach(() => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(1)
  return () => random.mockRestore()
})

const gaps = (times: number[]) => times.slice(1).map((at, before) => Math.round(at - (times[before] ?? 0)))

test('however long the store failed, the session asks it again within five seconds, and not at once', async () => {
  const { clock, sockets, store, close } = await oneReconnect()
  store.fails = true
  await close('lost')
  store.askedAt.length = 0
  await clock.move(MINUTE)
  expect(gaps(store.askedAt).slice(0, 4)).toEqual([2 * SECOND, 3 * SECOND, 5 * SECOND, 5 * SECOND])
  expect(new Set(gaps(store.askedAt).slice(4))).toEqual(new Set([5 * SECOND]))
  expect(sockets).toHaveLength(1)
  store.fails = false
  await clock.move(5 * SECOND)
  expect(sockets).toHaveLength(2)
})

test('what the store fails does not count against the network: its backoff goes on where it was', async () => {
  const { clock, sockets, store, close } = await oneReconnect()
  for (const limit of [1, 2, 4]) {
    await close('lost')
    await clock.move(limit * SECOND + 100)
  }
  expect(sockets).toHaveLength(4)
  await close('lost')
  store.fails = true
  await clock.move(MINUTE)
  expect(sockets).toHaveLength(4)
  store.fails = false
  await clock.move(5 * SECOND)
  expect(sockets).toHaveLength(5)

  await close('lost')
  const ended = clock.now()
  await clock.move(MINUTE)
  expect(Math.round((sockets[5]?.at ?? 0) - ended)).toBe(16 * SECOND)
})

test('a store that has failed and healed is asked again as soon the next time it fails', async () => {
  const { clock, store, close } = await oneReconnect()
  for (const _ of ['first', 'second']) {
    store.fails = true
    await close('restart')
    store.askedAt.length = 0
    await clock.move(6 * SECOND + 100)
    expect(gaps(store.askedAt)).toEqual([2 * SECOND, 3 * SECOND])
    store.fails = false
    await clock.move(5 * SECOND)
  }
})

test('meanwhile the session shows that it is connecting, and why it is not connected', async () => {
  const { clock, store, shown, close } = await oneReconnect()
  store.fails = true
  await close('lost')
  await clock.move(MINUTE)
  expect(shown).toMatchObject({
    ...{ status: 'connecting', connected: false, loggedIn: false },
    lastDisconnectReason: 'bad_session',
  })
})

test('a connect that could not be stored is over: nothing is connected when the store is back', async () => {
  const { clock, sockets, store, begin, close } = await oneReconnect()
  await close('replaced')
  store.fails = true
  await expect(begin()).rejects.toThrow('the store cannot be read or written')
  store.fails = false
  await clock.move(MINUTE)
  expect(sockets).toHaveLength(1)
})

test('a restart that could not be stored is refused, and the session is connected when the store is back', async () => {
  const { clock, sockets, store, restart } = await oneReconnect()
  store.fails = true
  await expect(restart()).rejects.toThrow('the store cannot be read or written')
  store.fails = false
  await clock.move(5 * SECOND)
  expect(sockets).toHaveLength(2)
})

test('a session that its phone logs out while the store fails shows that it is logged out, and makes no further attempt', async () => {
  const { clock, sockets, store, shown, heard, close } = await oneReconnect()
  sockets[0]?.events.open({ jid: '1@s', lid: '', profileName: '' })
  await heard()
  store.fails = true
  await close('logged_out')
  expect(shown).toMatchObject({
    ...{ status: 'disconnected', connected: false, loggedIn: false, jid: '' },
    lastDisconnectReason: 'logged_out',
  })
  await clock.move(MINUTE)
  expect(sockets).toHaveLength(1)
})
