// Connections that hold the Node engine up: half a request's head, and heads that no program of ours sends.

import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/** Sends these bytes. Answers all that it hears until the other side ends the connection. */
function hear(bytes: string): Promise<string> {
  const { hostname, port } = new URL(world.run.baseUrl)
  return new Promise((resolve) => {
    let heard = ''
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    socket.on('data', (chunk) => {
      heard += chunk
    })
    // What is sent behind a refusal may break the connection: what was heard before counts.
    socket.once('error', () => undefined)
    socket.once('close', () => resolve(heard))
  })
}

test('half the head of a request is not waited for without end', async () => {
  expect(await hear('GET /health/live HTTP/1.1\r\nhost: x\r\nx-half: ')).toMatch(/^HTTP\/1\.1 408 /)
})

test.each([
  ['a zero in a header', 'GET /health/live HTTP/1.1\r\nhost: x\r\nx: a\u0000b\r\n\r\n', 400],
  ['a head of 48 KiB', `GET /health/live HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(48 * 1024)}\r\n\r\n`, 431],
  ['no HTTP', 'hello\r\n\r\n', 400],
])('%s is refused, and the edge goes on', async (_, bytes, status) => {
  expect((await hear(bytes)).slice(0, 13)).toBe(`HTTP/1.1 ${status} `)
  expect((await world.admin.get('/health/live')).status).toBe(200)
})
