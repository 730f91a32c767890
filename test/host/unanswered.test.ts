// A network that takes a connection and then says nothing: given up as out of reach, wherever it fell silent.

import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import type { Closing } from '../../session-host/driver/driver.ts'
import { startDriver } from './driver.ts'

async function endingAt(url: string): Promise<Closing> {
  const world = await startDriver(undefined, { url })
  const ended = Promise.withResolvers<Closing>()
  await world.connect(crypto.randomUUID(), { closed: ended.resolve })
  const closing = await ended.promise
  await world.close()
  return closing
}

test('a network that answers neither the connection nor the handshake is out of reach', {
  timeout: 120_000,
}, async () => {
  const mute = createServer().listen(0, '127.0.0.1')
  const quiet = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  const at = (server: { address(): unknown }) => `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await Promise.all(
    [mute, quiet].map((server) => new Promise((resolve) => server.once('listening', resolve))),
  )
  const endings = await Promise.all([mute, quiet].map((server) => endingAt(at(server))))
  expect(endings.map(({ kind }) => kind)).toEqual(['unreachable', 'unreachable'])
  mute.close()
  quiet.close()
})
