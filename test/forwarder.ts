// A forwarder of a test's own before a server: it adds headers to each request, and lets the test act before a response is passed on.

import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

interface Options {
  /** Added to each request. */
  headers?: Record<string, string>
  /** Called with method and path once the server has done it and responded. What it kills never gets the response. */
  onResponse?: (request: string) => Promise<void>
}

export interface Forwarder {
  readonly url: string
  close(): void
}

/** `target` is an origin. */
export async function startForwarder(
  target: string,
  { headers = {}, onResponse }: Options,
): Promise<Forwarder> {
  const { hostname, port } = new URL(target)
  const passOn = async (incoming: IncomingMessage, answer: IncomingMessage, response: ServerResponse) => {
    const body = onResponse && (await buffer(answer))
    await onResponse?.(`${incoming.method} ${incoming.url}`)
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    if (body) response.end(body)
    else answer.pipe(response)
  }
  const server = createServer((incoming, response) => {
    const { method, url: path } = incoming
    const sent = { ...incoming.headers, ...headers }
    const outgoing = request({ hostname, port, method, path, headers: sent }, (answer) => {
      passOn(incoming, answer, response).catch(() => response.destroy())
    })
    outgoing.on('error', () => response.destroy())
    incoming.pipe(outgoing)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
