// The SOCKS5 handshake (RFC 1928, RFC 1929). The proxy resolves the name, so our own resolver does not learn the destination.

import type { Socket } from 'node:net'
import { isIPv4 } from 'node:net'
import type { ProxyAddress } from '@msgnet/shared/proxy-address.ts'
import { readBytes } from './proxy-reader.ts'
import type { Target } from './target.ts'

const VERSION = 5
const NO_CREDENTIALS = 0
const WITH_PASSWORD = 2
const CONNECT = 1
const IPV4 = 1
const NAME = 3
const IPV6 = 4
const addressBytes: Record<number, number> = { [IPV4]: 4, [IPV6]: 16 }

export async function connectBySocks(
  socket: Socket,
  { user, password }: ProxyAddress,
  { host, port }: Target,
) {
  const methods = user || password ? [NO_CREDENTIALS, WITH_PASSWORD] : [NO_CREDENTIALS]
  socket.write(Buffer.from([VERSION, methods.length, ...methods]))
  const [version, method = 0xff] = await readBytes(socket, 2)
  if (version !== VERSION || !methods.includes(method))
    throw new Error('the proxy takes none of our credentials')
  if (method === WITH_PASSWORD) {
    socket.write(Buffer.concat([Buffer.from([1]), prefixLength(user), prefixLength(password)]))
    const [, refusal] = await readBytes(socket, 2)
    if (refusal !== 0) throw new Error('the proxy refused the credentials')
  }

  const address = isIPv4(host)
    ? Buffer.from([IPV4, ...host.split('.').map(Number)])
    : Buffer.concat([Buffer.from([NAME]), prefixLength(host)])
  const destination = Buffer.from([port >> 8, port & 0xff])
  socket.write(Buffer.concat([Buffer.from([VERSION, CONNECT, 0]), address, destination]))
  const [, reply, , kind = 0] = await readBytes(socket, 4)
  if (reply !== 0) throw new Error(`the proxy did not connect: ${reply}`)
  const length = kind === NAME ? (await readBytes(socket, 1))[0] : addressBytes[kind]
  if (length === undefined) throw new Error('the proxy answered no SOCKS5')
  await readBytes(socket, length + 2)
}

const prefixLength = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from([bytes.length]), bytes])
}
