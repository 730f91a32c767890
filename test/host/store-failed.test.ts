// A session whose own store fails when it is to connect: it is back soon after the store is, and the network's backoff is what it was.

import { MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import { beforeEach, expect, test, vi } from 'vitest'
import { createReconnectStage } from './reconnect-stage.ts'

// Every wait is as long as it may be.
beforeEach(() => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(1)
  return () => random.mockRestore()
})

const listGaps = (times: number[]) =>
  times.slice(1).map((at, before) => Math.round(at - (times[before] ?? 0)))

test('a session retries a failing store within five seconds, and not at once', async () => {
  const { clock, sockets, store, closeSocket } = await createReconnectStage()
  store.fails = true
  await closeSocket('lost')
  store.askedAt.length = 0
  await clock.moveTime(MINUTE)
  expect(listGaps(store.askedAt).slice(0, 4)).toEqual([2 * SECOND, 3 * SECOND, 5 * SECOND, 5 * SECOND])
  expect(new Set(listGaps(store.askedAt).slice(4))).toEqual(new Set([5 * SECOND]))
  expect(sockets).toHaveLength(1)
  store.fails = false
  await clock.moveTime(5 * SECOND)
  expect(sockets).toHaveLength(2)
})

test('failures of the store do not change the backoff for the network', async () => {
  const { clock, sockets, store, closeSocket } = await createReconnectStage()
  for (const limit of [1, 2, 4]) {
    await closeSocket('lost')
    await clock.moveTime(limit * SECOND + 100)
  }
  expect(sockets).toHaveLength(4)
  await closeSocket('lost')
  store.fails = true
  await clock.moveTime(MINUTE)
  expect(sockets).toHaveLength(4)
  store.fails = false
  await clock.moveTime(5 * SECOND)
  expect(sockets).toHaveLength(5)

  await closeSocket('lost')
  const ended = clock.now()
  await clock.moveTime(MINUTE)
  expect(Math.round((sockets[5]?.at ?? 0) - ended)).toBe(16 * SECOND)
})

test('a store that recovered and fails again is retried as soon as the first time', async () => {
  const { clock, store, closeSocket } = await createReconnectStage()
  for (const _ of ['first', 'second']) {
    store.fails = true
    await closeSocket('restart')
    store.askedAt.length = 0
    await clock.moveTime(6 * SECOND + 100)
    expect(listGaps(store.askedAt)).toEqual([2 * SECOND, 3 * SECOND])
    store.fails = false
    await clock.moveTime(5 * SECOND)
  }
})

test('a session whose store fails shows that it is connecting, and why it is not connected', async () => {
  const { clock, store, shown, closeSocket } = await createReconnectStage()
  store.fails = true
  await closeSocket('lost')
  await clock.moveTime(MINUTE)
  expect(shown).toMatchObject({
    status: 'connecting',
    connected: false,
    loggedIn: false,
    lastDisconnectReason: 'bad_session',
  })
})

test('a connect that could not be stored fails, and connects nothing when the store is back', async () => {
  const { clock, sockets, store, beginConnecting, closeSocket } = await createReconnectStage()
  await closeSocket('replaced')
  store.fails = true
  await expect(beginConnecting()).rejects.toThrow('the store cannot be read or written')
  store.fails = false
  await clock.moveTime(MINUTE)
  expect(sockets).toHaveLength(1)
})

test('a restart that could not be stored is refused, and the session is connected when the store is back', async () => {
  const { clock, sockets, store, restart } = await createReconnectStage()
  store.fails = true
  await expect(restart()).rejects.toThrow('the store cannot be read or written')
  store.fails = false
  await clock.moveTime(5 * SECOND)
  expect(sockets).toHaveLength(2)
})

test('a connection that could not be opened by a fault of the code is tried again', async () => {
  const { clock, sockets, store, restart } = await createReconnectStage()
  await clock.moveTime(2 * SECOND)
  store.breaksDriver = true
  await expect(restart()).rejects.toThrow('the driver is broken')
  store.breaksDriver = false
  await clock.moveTime(MINUTE)
  expect(sockets).toHaveLength(2)
})

test('a session logged out while the store fails shows it, and makes no further attempt', async () => {
  const { clock, sockets, store, shown, waitForTurn, closeSocket } = await createReconnectStage()
  sockets[0]?.events.onOpen({ jid: '1@s', lid: '', profileName: '' })
  await waitForTurn()
  store.fails = true
  await closeSocket('logged_out')
  expect(shown).toMatchObject({
    status: 'disconnected',
    connected: false,
    loggedIn: false,
    jid: '',
    lastDisconnectReason: 'logged_out',
  })
  await clock.moveTime(MINUTE)
  expect(sockets).toHaveLength(1)
})
