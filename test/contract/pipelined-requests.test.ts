// What one packet of many requests costs the edge, at a server of the test's own.

import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { createBoundedServer } from '@msgnet/edge/node/pipelined-requests.ts'
import { afterEach, expect, test } from 'vitest'
import { until } from '../until.ts'

const REQUEST = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'
const LAST = 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** Notes the requests that the server made objects of. */
async function startServer(serve: (response: ServerResponse) => void) {
  const seen = { requests: 0, open: 0 }
  const { server } = createBoundedServer(
    { isUpgrade: () => false, onUpgrade: (_, socket) => socket.destroy() },
    (_, response) => serve(response),
  )
  server.on('request', (_, response) => {
    seen.requests += 1
    seen.open += 1
    response.once('close', () => (seen.open -= 1))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => server.close())
  const send = (bytes: string): Promise<string> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('error', () => undefined).write(bytes)
    return text(socket).catch(() => '')
  }
  return { seen, send }
}

test('of a thousand requests in one packet only those that a connection may have are read, and none stays open', async () => {
  const { seen, send } = await startServer(() => undefined)
  expect(await send(REQUEST.repeat(1000))).toBe('')
  expect(seen.requests).toBe(32)
  await until(() => seen.open === 0)
})

test('as many requests as a connection may have are all answered', async () => {
  const { seen, send } = await startServer((response) => setImmediate(() => response.end('served')))
  const received = await send(REQUEST.repeat(31) + LAST)
  expect(received.split('served').length - 1).toBe(32)
  expect(seen).toEqual({ requests: 32, open: 0 })
})
