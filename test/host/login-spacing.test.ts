// How far apart the sockets of one session are, by a clock that the test moves.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { createReconnectStage } from './reconnect-stage.ts'

test('after a socket that was open for a while the next one opens at once', async () => {
  const { clock, sockets, waitForTurn, endAndWait } = await createReconnectStage()
  sockets[0]?.events.onOpen({ jid: '1@s', lid: '', profileName: '' })
  await waitForTurn()
  await clock.moveTime(3 * SECOND)
  expect(await endAndWait('restart')).toBe(0)
})

test('after a socket that was just opened the next one opens a second later', async () => {
  const { clock, sockets, waitForTurn, endAndWait } = await createReconnectStage()
  await clock.moveTime(700)
  sockets[0]?.events.onOpen({ jid: '1@s', lid: '', profileName: '' })
  await waitForTurn()
  expect(await endAndWait('restart')).toBe(SECOND)
})

test('after a socket that ended before it was open the next one opens a second later: the network may have counted a login', async () => {
  const { clock, endAndWait } = await createReconnectStage()
  await clock.moveTime(700)
  expect(await endAndWait('restart')).toBe(SECOND)
})

test('what kept an attempt from the network is not what the next one has met', async () => {
  const { sockets, hasObstacle, closeSocket, clock } = await createReconnectStage()
  await closeSocket('unreachable')
  expect(hasObstacle()).toBe(true)
  await clock.moveTime(2 * SECOND)
  await until(() => sockets.length === 2)
  expect(hasObstacle()).toBe(false)
  await closeSocket('unreachable')
  expect(hasObstacle()).toBe(true)
})
