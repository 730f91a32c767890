// Receivers that misbehave, each in its manner.

import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** As a receiver that does its work before it responds. */
const SLOW_MS = 100
const CHUNK = Buffer.alloc(16 * 1024, 'x')

/** As many as fit into the bytes that are read at once. */
const PROVISIONAL = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'.repeat(2000))

export type Manner =
  | 'hang'
  | 'slow'
  | 'drip'
  | 'endless'
  | 'endless refusal'
  | 'never final'
  | 'redirect'
  | 'refuse'
  | 'gone'
  | 'busy'

export interface Bad {
  readonly place: string
  readonly url: string
  /** Asked and not let go yet. */
  readonly hanging: number
  requests: number
  sent: number
  /** The longest time that a caller stayed connected, in milliseconds. */
  longest: number
  close(): void
}

/** A caller stays connected until it closes the connection. `elsewhere` is where a redirect leads. */
export async function startBadReceiver(manner: Manner, elsewhere: string): Promise<Bad> {
  const open = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    const began = performance.now()
    receiver.requests++
    request.resume()
    open.add(response)
    response.on('close', () => {
      open.delete(response)
      receiver.longest = Math.max(receiver.longest, performance.now() - began)
    })
    respondBadly(manner, response, receiver, elsewhere)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const receiver: Bad = {
    place,
    url: `http://${place}/`,
    requests: 0,
    sent: 0,
    longest: 0,
    get hanging() {
      return open.size
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return receiver
}

function respondBadly(manner: Manner, response: ServerResponse, receiver: Bad, elsewhere: string): void {
  switch (manner) {
    case 'hang':
      return
    case 'slow':
      setTimeout(() => response.writeHead(204).end(), SLOW_MS)
      return
    case 'drip': {
      response.writeHead(200)
      const timer = setInterval(() => response.write('.'), 100)
      response.on('close', () => clearInterval(timer))
      return
    }
    case 'endless':
    case 'endless refusal': {
      response.writeHead(manner === 'endless' ? 200 : 500)
      const writeEndlessly = () => {
        while (!response.destroyed && response.write(CHUNK)) receiver.sent += CHUNK.length
      }
      response.on('drain', writeEndlessly)
      writeEndlessly()
      return
    }
    case 'never final': {
      const { socket } = response
      const writeEndlessly = () => {
        while (socket?.writable && socket.write(PROVISIONAL)) receiver.sent += PROVISIONAL.length
      }
      socket?.on('drain', writeEndlessly)
      writeEndlessly()
      return
    }
    case 'redirect':
      response.writeHead(307, { location: elsewhere }).end()
      return
    case 'refuse':
      response.writeHead(400).end()
      return
    case 'gone':
      response.writeHead(410).end()
      return
    case 'busy':
      response.writeHead(503, { 'retry-after': '3600' }).end()
  }
}
