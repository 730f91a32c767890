// Files on their way from a host to the edge: what the edge has taken, the host holds no more.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as waitForLoop } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Transfers } from '@msgnet/session-host/actions/file-transfers.ts'
import { createSilentLog } from '@msgnet/session-host/process/host-log.ts'
import { expect, test } from 'vitest'
import { until } from '../until.ts'

const PIECE_BYTES = 256 * 1024
const PIECES = 80
/** What sockets and streams have between the two ends. */
const MAX_HELD = 20

async function startEdge() {
  let taken = 0
  const server = createServer((request, response) => {
    request.on('data', (bytes: Buffer) => {
      taken += bytes.length
    })
    request.on('end', () => response.end())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    countTaken: () => taken,
    close: () => server.close(),
  }
}

/** A file that ends when it is told to, and how many of its pieces are still in memory. */
function createWatchedFile() {
  const pieces: WeakRef<Uint8Array>[] = []
  const ending = Promise.withResolvers<void>()
  async function* pass() {
    for (let at = 0; at < PIECES; at++) {
      const piece = new Uint8Array(PIECE_BYTES)
      pieces.push(new WeakRef(piece))
      yield piece
    }
    await ending.promise
  }
  return {
    body: ReadableStream.from(pass()),
    end: ending.resolve,
    countHeld: () => pieces.filter((piece) => piece.deref() !== undefined).length,
  }
}

async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  // A reference that was looked at is held until the next turn of the loop.
  await waitForLoop()
  runInNewContext('gc')()
}

test('a host does not hold the pieces of a file that the edge has taken', async () => {
  const edge = await startEdge()
  const file = createWatchedFile()
  const transfers = new Transfers(edge.url, 'token', createSilentLog())
  const uploading = transfers.uploadFile('name', file.body, AbortSignal.timeout(30_000))
  await until(() => edge.countTaken() === PIECES * PIECE_BYTES)
  await collectGarbage()
  expect(file.countHeld()).toBeLessThan(MAX_HELD)
  file.end()
  expect(await uploading).toBe(true)
  edge.close()
})
