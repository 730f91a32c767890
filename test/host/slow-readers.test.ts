// Files that are read slowly: a host that waits for its reader is not given up, and one that says nothing is.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { endWhenSilent } from '@msgnet/session-host/process/end-when-silent.ts'
import { MediaBucket } from '@msgnet/session-host/stored-media/media-bucket.ts'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../until.ts'

/** Milliseconds without traffic after which a request is given up. */
const IDLE = 200
const never = new AbortController().signal
/** More than the buffers between the two sockets hold. */
const file = Buffer.alloc(32 * 1024 * 1024, 'file')

async function openBucket(answer: RequestListener): Promise<MediaBucket> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/files`
  return new MediaBucket({ url, region: 'r', accessKeyId: 'id', secretAccessKey: 'secret' }, IDLE)
}

/** Passes the time in which three requests without an answer are given up, one after the other. */
async function passTime(bucket: MediaBucket): Promise<void> {
  for (let n = 0; n < 3; n += 1) await expect(bucket.openFile('silent', never)).rejects.toThrow('respond')
}

test('a file is whole although its reader takes nothing for longer than a host may be silent', async () => {
  const bucket = await openBucket(({ url }, response) => void (url?.endsWith('silent') || response.end(file)))
  const opened = await bucket.openFile('a', never)
  await passTime(bucket)
  expect((await buffer(opened ?? Readable.from([]))).equals(file)).toBe(true)
})

test('a host that stops in the middle of a file is given up, also after its reader has waited', async () => {
  const bucket = await openBucket(({ url }, response) => {
    if (url?.endsWith('silent')) return
    response.writeHead(200, { 'content-length': 2 * file.length })
    response.write(file)
  })
  const opened = await bucket.openFile('a', never)
  await passTime(bucket)
  await expect(buffer(opened ?? Readable.from([]))).rejects.toThrow('aborted')
})

test('a response that waits long for its reader has one listener for its silence, and ends when its host is silent', async () => {
  const server = createServer((_, response) => void response.write(Buffer.alloc(100)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const outgoing = request({ port: (server.address() as AddressInfo).port }).end()
  // Its response fails too, which is looked at below.
  outgoing.on('error', () => undefined)
  endWhenSilent(outgoing, IDLE, 'silent')
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  // Not from the beginning: on a busy machine its head may need as long.
  outgoing.setTimeout(IDLE)
  let waited = 0
  response.on('timeout', () => {
    waited += 1
  })
  await until(() => waited > 5)
  expect(response.listenerCount('timeout')).toBe(2)
  response.resume()
  await expect(once(response, 'end')).rejects.toThrow()
  server.closeAllConnections()
  server.close()
})
