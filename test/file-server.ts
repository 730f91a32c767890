// A server of files for the gateway to fetch, on a port of its own, until the last test of the file is over.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'

export type FileServer = Awaited<ReturnType<typeof startFileServer>>

/** `/away` redirects to a closed port, `/torn` breaks off in the middle; a path without a file is 404. */
export async function startFileServer() {
  const files = new Map<string, { bytes: Uint8Array; mimetype: string }>()
  const requests: string[] = []
  const server = createServer(({ url = '' }, response) => {
    requests.push(url)
    const file = files.get(url)
    if (url === '/away') response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
    else if (url === '/torn') {
      response.writeHead(200, { 'content-type': 'application/pdf' })
      response.write(Buffer.alloc(5_000_000), () => response.destroy())
    } else if (file) response.writeHead(200, { 'content-type': file.mimetype }).end(file.bytes)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => void server.close())
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    /** `host:port`, for WEBHOOK_ALLOWLIST. */
    place,
    /** Every path that was requested, in order. */
    requests,
    /** Stores a file; returns its URL. */
    serveFile(path: string, bytes: Uint8Array, mimetype: string): string {
      files.set(path, { bytes, mimetype })
      return `http://${place}${path}`
    },
  }
}
