// A server of files for the gateway to fetch, on a port of its own, until the last test of the file is over.

import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http'
import { afterAll } from 'vitest'
import { listenAtReserved } from './reserved-ports.ts'

export type FileServer = Awaited<ReturnType<typeof startFileServer>>

/** `/away` redirects to a closed port, `/torn` breaks off in the middle; a path without a file is 404. */
export async function startFileServer() {
  const files = new Map<string, { bytes: Uint8Array; status: number; headers: OutgoingHttpHeaders }>()
  const requests: string[] = []
  const headersByPath = new Map<string, IncomingHttpHeaders>()
  const server = createServer(({ url = '', headers }, response) => {
    requests.push(url)
    headersByPath.set(url, headers)
    const file = files.get(url)
    if (url === '/away') response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
    else if (url === '/torn') {
      response.writeHead(200, { 'content-type': 'application/pdf' })
      response.write(Buffer.alloc(5_000_000), () => response.destroy())
    } else if (file) response.writeHead(file.status, file.headers).end(file.bytes)
    else response.writeHead(404).end()
  })
  const place = await listenAtReserved(server)
  afterAll(() => void server.close())
  return {
    /** `host:port`, for WEBHOOK_ALLOWLIST. */
    place,
    /** Every path that was requested, in order. */
    requests,
    /** The headers of the last request for a path. */
    readHeaders: (path: string): IncomingHttpHeaders => headersByPath.get(path) ?? {},
    /** Stores a file; returns its URL. Without a type the response has none. */
    serveFile(path: string, bytes: Uint8Array, mimetype: string, headers: OutgoingHttpHeaders = {}): string {
      const named = { ...(mimetype && { 'content-type': mimetype }), ...headers }
      files.set(path, { bytes, status: 200, headers: named })
      return `http://${place}${path}`
    },
    /** Returns the URL of a path that leads to another. */
    redirect(path: string, location: string, status = 302): string {
      files.set(path, { bytes: new Uint8Array(), status, headers: { location } })
      return `http://${place}${path}`
    },
  }
}
