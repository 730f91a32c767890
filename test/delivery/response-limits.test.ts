// How much is read of an answer, counted where it is read from.

import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { readBeginning, readRefusal } from '@msgnet/edge/delivery/read-response.ts'
import { IncomingBody } from '@msgnet/edge/node/incoming-body.ts'
import { expect, test } from 'vitest'

const KIB = 1024

test('64 KiB of a response without end are read, and then the connection is closed', async () => {
  const seen = { read: 0, cancelled: false }
  const source = {
    pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      seen.read += KIB
      controller.enqueue(new Uint8Array(KIB))
    },
    cancel() {
      seen.cancelled = true
    },
  }
  await readBeginning(new ReadableStream(source, { highWaterMark: 0 }))
  expect(seen).toEqual({ read: 64 * KIB, cancelled: true })
})

/** Of one byte each: what is around them is five times as much, and takes the time. */
const TINY_CHUNKS = Buffer.from('1\r\na\r\n'.repeat(10_000))

function respondInTinyChunks(socket: Socket): void {
  const writeEndlessly = () => {
    while (socket.writable && socket.write(TINY_CHUNKS));
  }
  socket.on('error', () => undefined).on('drain', writeEndlessly)
  socket.once('data', () => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
    writeEndlessly()
  })
}

test('a response without end in the smallest chunks is not read for long, and fails', async () => {
  const server = createServer(respondInTinyChunks).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const [response] = (await once(
    get({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }),
    'response',
  )) as [IncomingMessage]
  const { socket } = response
  await expect(readBeginning(new IncomingBody(response))).rejects.toThrow('the connection was closed')
  expect(socket.destroyed).toBe(true)
  server.close()
})

test('a response that breaks off fails', async () => {
  const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('connection lost')) })
  await expect(readBeginning(broken)).rejects.toThrow('connection lost')
})

const never = new Promise<never>(() => undefined)
const utf8 = new TextEncoder()

test('1 KiB of a refusal without end is read, and then the connection is closed', async () => {
  const seen = { read: 0, cancelled: false }
  const source = {
    pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      seen.read += 100
      controller.enqueue(utf8.encode('no '.repeat(34).slice(0, 100)))
    },
    cancel() {
      seen.cancelled = true
    },
  }
  const text = await readRefusal(new ReadableStream(source, { highWaterMark: 0 }), never)
  expect(text).toMatch(/^no no /)
  expect(text.length).toBeLessThanOrEqual(KIB)
  expect(seen).toEqual({ read: 1100, cancelled: true })
})

test('of a refusal that stops half-way the part that came in time is used', async () => {
  const late = Promise.withResolvers<void>()
  let pulls = 0
  const source = {
    pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      if (pulls++ === 0) return controller.enqueue(utf8.encode('half a sen'))
      late.resolve()
      return never
    },
  }
  expect(await readRefusal(new ReadableStream(source, { highWaterMark: 0 }), late.promise)).toBe('half a sen')
})

test('of a refusal that breaks off the part before is used', async () => {
  let pulls = 0
  const source = {
    pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      if (pulls++ === 0) controller.enqueue(utf8.encode('half a sen'))
      else controller.error(new Error('connection lost'))
    },
  }
  expect(await readRefusal(new ReadableStream(source, { highWaterMark: 0 }), never)).toBe('half a sen')
  expect(await readRefusal(null, never)).toBe('')
})
