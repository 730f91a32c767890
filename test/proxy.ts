// A proxy of a test's own, HTTP (CONNECT) or SOCKS5, that counts whom it served and may refuse to.

import { createServer, type Server as HttpServer } from 'node:http'
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net'

export interface TestProxy {
  readonly url: string
  /** `host:port` of every connection that it made. */
  readonly served: string[]
  /** Connections to it that are open. */
  readonly open: number
  /** While it is set, no client gets a response. */
  unresponsive: boolean
  /** While it is set, every client is refused. */
  refusing: boolean
  /** Ends every connection that goes by it. */
  cutConnections(): void
  close(): Promise<void>
}

const USER = 'shop'
const PASSWORD = 'se cret'
const CREDENTIALS = `${USER}:${encodeURIComponent(PASSWORD)}`

export async function startHttpProxy(): Promise<TestProxy> {
  const server = createServer((_, response) => response.writeHead(405).end())
  const expected = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`
  const proxy = await listenWith(server, 'http')
  server.on('connect', (request, socket: Socket) => {
    // Read, because otherwise the end of the other side goes unnoticed.
    if (proxy.unresponsive) return void socket.resume().once('end', () => socket.end())
    if (proxy.refusing) return socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n')
    if (request.headers['proxy-authorization'] !== expected)
      return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    const [host = '', port] = (request.url ?? '').split(':')
    proxy.serveTarget(socket, host, Number(port), () =>
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n'),
    )
  })
  return proxy
}

export async function startSocksProxy(): Promise<TestProxy> {
  const server = createTcpServer()
  const proxy = await listenWith(server, 'socks5')
  server.on('connection', (socket) => void serveSocks(socket, proxy).catch(() => socket.destroy()))
  return proxy
}

/** RFC 1928 and 1929, as far as a client needs that connects by name or IPv4 address. */
async function serveSocks(socket: Socket, proxy: Serving): Promise<void> {
  await readNext(socket)
  if (proxy.unresponsive) return
  if (proxy.refusing) return void socket.end(Buffer.from([5, 0xff]))
  socket.write(Buffer.from([5, 2]))
  const credentials = await readNext(socket)
  const userEnd = 2 + (credentials[1] ?? 0)
  const user = credentials.subarray(2, userEnd).toString()
  const password = credentials.subarray(userEnd + 1).toString()
  const known = user === USER && password === PASSWORD
  socket.write(Buffer.from([1, known ? 0 : 1]))
  const request = await readNext(socket)
  const named = request[3] === 3
  const end = named ? 5 + (request[4] ?? 0) : 8
  const host = named ? request.subarray(5, end).toString() : request.subarray(4, end).join('.')
  proxy.serveTarget(socket, host, request.readUInt16BE(end), () =>
    socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])),
  )
}

const readNext = (socket: Socket) =>
  new Promise<Buffer>((resolve, reject) => socket.once('data', resolve).once('close', reject))

interface Serving extends TestProxy {
  serveTarget(socket: Socket, host: string, port: number, connected: () => void): void
}

async function listenWith(server: HttpServer | Server, scheme: string): Promise<Serving> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const proxy: Serving = {
    url: `${scheme}://${CREDENTIALS}@127.0.0.1:${port}`,
    served: [],
    refusing: false,
    unresponsive: false,
    get open() {
      return sockets.size
    },
    serveTarget(socket, host, port, connected) {
      proxy.served.push(`${host}:${port}`)
      const onward = connect(port, host, connected)
      onward.on('error', () => socket.destroy()).once('close', () => socket.destroy())
      socket.once('close', () => onward.destroy())
      socket.pipe(onward).pipe(socket)
    },
    cutConnections() {
      for (const socket of sockets) socket.destroy()
    },
    async close() {
      proxy.cutConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}
