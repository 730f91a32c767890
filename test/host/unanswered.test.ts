// A network that takes a connection and then says nothing: given up as out of reach, wherever it fell silent.

import { type AddressInfo, createServer } from 'node:net'
import type { Closing } from '@msgnet/session-host/driver/driver.ts'
import { MINUTE } from '@msgnet/shared/date-time.ts'
import { expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { MovableClock } from '../movable-clock.ts'
import { startDriver } from './driver.ts'

/** `unresponsive` resolves once the network has got the request that it will not answer. */
async function waitForEnding(url: string, unresponsive: Promise<unknown>): Promise<Closing> {
  const clock = new MovableClock()
  const world = await startDriver(undefined, { url, clock })
  const ended = Promise.withResolvers<Closing>()
  await world.connectInstance(crypto.randomUUID(), { onClosed: ended.resolve })
  await unresponsive
  await clock.moveTime(MINUTE)
  const closing = await ended.promise
  await world.close()
  return closing
}

test('a network that answers neither the connection nor the handshake is unreachable', async () => {
  const mute = createServer().listen(0, '127.0.0.1')
  const quiet = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  const toUrl = (server: { address(): unknown }) =>
    `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await Promise.all(
    [mute, quiet].map((server) => new Promise((resolve) => server.once('listening', resolve))),
  )
  const toMute = new Promise((resolve) => mute.once('connection', (socket) => socket.once('data', resolve)))
  const toQuiet = new Promise((resolve) =>
    quiet.once('connection', (socket) => socket.once('message', resolve)),
  )
  const endings = await Promise.all([
    waitForEnding(toUrl(mute), toMute),
    waitForEnding(toUrl(quiet), toQuiet),
  ])
  expect(endings.map(({ kind }) => kind)).toEqual(['unreachable', 'unreachable'])
  mute.close()
  quiet.close()
})
