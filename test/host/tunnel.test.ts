// The way by a proxy, whatever the proxy does: judged addresses only, answers read to a bound, and nothing left open.

import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { dialProxy } from '@msgnet/session-host/driver/tunnel/dial.ts'
import { ProxyAgent } from '@msgnet/session-host/driver/tunnel/tunnel-agent.ts'
import { afterEach, expect, test } from 'vitest'
import { startHttpProxy, startSocksProxy } from '../proxy.ts'
import { until } from '../until.ts'

const target = { host: 'network.example', port: 443 }
const never = new AbortController().signal
const MIB = 1024 * 1024
/** Bytes that the system buffers for a socket that is not read. */
const KERNEL_BYTES = 12 * MIB

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve))
})

/** Returns its address and the sockets that are open there. */
async function startServer(behave: (socket: Socket) => void) {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    // Read, because otherwise the end of the other side goes unnoticed.
    socket.resume()
    socket.on('error', () => undefined).once('close', () => open.delete(socket))
    behave(socket)
  })
  servers.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { place: `127.0.0.1:${(server.address() as AddressInfo).port}`, open }
}

function writeTotal(socket: Socket, chunk: Buffer, total: number): void {
  let left = total
  const writeMore = () => {
    while (left > 0 && !socket.destroyed) {
      left -= chunk.length
      if (!socket.write(chunk)) return void socket.once('drain', writeMore)
    }
  }
  writeMore()
}

const endless = Buffer.from(`HTTP/1.1 200 Fine\r\n${'X-Padding: none of it ends the head\r\n'.repeat(1800)}`)

test.each<[string, string, (socket: Socket) => void, RegExp]>([
  ['a head without end', 'http', (socket) => writeTotal(socket, endless, 64 * MIB), /longer than 16384/],
  [
    'zeros without end',
    'socks5',
    (socket) => writeTotal(socket, Buffer.alloc(65_536), 64 * MIB),
    /none of our credentials/,
  ],
  ['no HTTP', 'http', (socket) => socket.write('hello\r\n\r\n'), /answered no HTTP/],
  ['no', 'http', (socket) => socket.write('HTTP/1.1 407 No\r\n\r\n'), /answered 407/],
  [
    'half a head and an end',
    'http',
    (socket) => socket.end('HTTP/1.1 200 Fine\r\n'),
    /closed the connection/,
  ],
  ['nothing', 'http', () => undefined, /timeout/],
  ['nothing', 'socks5', () => undefined, /timeout/],
  ['no TLS', 'https', (socket) => socket.write('HTTP/1.1 200 Fine\r\n\r\n'), /cannot be reached|closed/],
])('a proxy that answers %s to %s is refused, and its socket is closed', async (_, scheme, behave, why) => {
  let sent = 0
  const proxy = await startServer((socket) => {
    behave(socket)
    socket.once('close', () => (sent = socket.bytesWritten))
  })
  const way = `${scheme}://${proxy.place}`
  await expect(dialProxy(way, target, never, { local: true, timeoutMs: 500 })).rejects.toThrow(why)
  await until(() => proxy.open.size === 0)
  expect(sent).toBeLessThan(KERNEL_BYTES)
})

test('a head that arrives byte by byte is read, and the bytes behind it belong to the connection', async () => {
  const head = 'HTTP/1.1 200 Connection established\r\nVia: us\r\n\r\n'
  const proxy = await startServer((socket) => {
    socket.setNoDelay(true)
    let at = 0
    const writeNext = () => {
      if (at < head.length - 1) socket.write(head[at++] as string, () => setImmediate(writeNext))
      else socket.write(`${head[at]}first words`)
    }
    writeNext()
  })
  const socket = await dialProxy(`http://${proxy.place}`, target, never, { local: true })
  const [words] = await once(socket, 'data')
  expect(String(words)).toBe('first words')
  socket.destroy()
})

const createAddress = (family: 4 | 6, address: string) => ({ family, address })

test.each([
  ['this machine', [createAddress(4, '127.0.0.1')]],
  ['this machine, by IPv6', [createAddress(6, '::1')]],
  ['the metadata of a cloud', [createAddress(4, '169.254.169.254')]],
  ['this machine, written as IPv6', [createAddress(6, '::ffff:127.0.0.1')]],
  ['a public address and a private one', [createAddress(4, '93.184.216.34'), createAddress(4, '10.0.0.7')]],
  ['nothing', []],
])('a name that resolves to %s is not connected to', async (_, addresses) => {
  const proxy = await startServer(() => undefined)
  const port = proxy.place.split(':')[1]
  const terms = { local: false, resolve: async () => addresses }
  await expect(dialProxy(`http://proxy.shop.com:${port}`, target, never, terms)).rejects.toThrow(
    'not a public one',
  )
  expect(proxy.open.size).toBe(0)
})

test('a name is resolved once, and the checked address is the one connected to', async () => {
  const proxy = await startServer((socket) => socket.write('HTTP/1.1 200 Fine\r\n\r\n'))
  let lookups = 0
  const resolveName = async () => {
    lookups++
    return [createAddress(4, '127.0.0.1')]
  }
  // No such name: a second question, to whomever, would fail.
  const way = `http://proxy.invalid:${proxy.place.split(':')[1]}`
  const socket = await dialProxy(way, target, never, { local: true, resolve: resolveName })
  expect([lookups, socket.remoteAddress]).toEqual([1, '127.0.0.1'])
  socket.destroy()
})

test.each([
  'http://127.0.0.1:9',
  'http://93.184.216.34:22',
  'socks5://[::1]:1080',
  'socks5://2130706433:1080',
  'http://proxy.svc:3128',
])('a proxy at %s is refused by the host too', async (way) => {
  await expect(dialProxy(way, target, never, { local: false })).rejects.toThrow('a proxy must')
})

test.each([
  ['http', startHttpProxy],
  ['socks5', startSocksProxy],
])(
  'by %s nothing stays open behind an agent that is ended, nor what it was still waiting for',
  async (_, start) => {
    const end = await startServer(() => undefined)
    const proxy = await start()
    const agent = new ProxyAgent(proxy.url, 'http:', { local: true })
    const unresponsive = await startServer(() => undefined)
    const waiting = new ProxyAgent(`http://${unresponsive.place}`, 'http:', { local: true })
    const requests = [agent, waiting].map((by) => request(`http://${end.place}/`, { agent: by }))
    const ends = requests.map((request) => once(request.end(), 'error'))
    await until(() => end.open.size === 1 && unresponsive.open.size === 1)
    agent.destroy()
    waiting.destroy()
    await Promise.all(ends)
    await until(() => end.open.size === 0 && unresponsive.open.size === 0)
    await proxy.close()
  },
)
