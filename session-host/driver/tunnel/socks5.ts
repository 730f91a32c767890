// The SOCKS5 handshake (RFC 1928, RFC 1929). The proxy resolves the name, so our own resolver does not learn the destination.

import type { Socket } from 'node:net'
import { isIPv4 } from 'node:net'
import type { ProxyPlace } from '../../../shared/proxy-place.ts'
import { takeBytes } from './reading.ts'
import type { Target } from './target.ts'

const VERSION = 5
const NO_CREDENTIALS = 0
const BY_PASSWORD = 2
const CONNECT = 1
const IPV4 = 1
const NAME = 3
const IPV6 = 4
const addressBytes: Record<number, number> = { [IPV4]: 4, [IPV6]: 16 }

export async function askBySocks(socket: Socket, { user, password }: ProxyPlace, { host, port }: Target) {
  const methods = user || password ? [NO_CREDENTIALS, BY_PASSWORD] : [NO_CREDENTIALS]
  socket.write(Buffer.from([VERSION, methods.length, ...methods]))
  const [version, method = 0xff] = await takeBytes(socket, 2)
  if (version !== VERSION || !methods.includes(method))
    throw new Error('the proxy takes none of our credentials')
  if (method === BY_PASSWORD) {
    socket.write(Buffer.concat([Buffer.from([1]), counted(user), counted(password)]))
    const [, refusal] = await takeBytes(socket, 2)
    if (refusal !== 0) throw new Error('the proxy refused the credentials')
  }

  const address = isIPv4(host)
    ? Buffer.from([IPV4, ...host.split('.').map(Number)])
    : Buffer.concat([Buffer.from([NAME]), counted(host)])
  const destination = Buffer.from([port >> 8, port & 0xff])
  socket.write(Buffer.concat([Buffer.from([VERSION, CONNECT, 0]), address, destination]))
  const [, reply, , kind = 0] = await takeBytes(socket, 4)
  if (reply !== 0) throw new Error(`the proxy did not connect: ${reply}`)
  const length = kind === NAME ? (await takeBytes(socket, 1))[0] : addressBytes[kind]
  if (length === undefined) throw new Error('the proxy answered no SOCKS5')
  await takeBytes(socket, length + 2)
}

const counted = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from([bytes.length]), bytes])
}
