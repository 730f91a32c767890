// Apart from dial.ts, because each protocol of a proxy has its file: the CONNECT request to an HTTP proxy, and its response (RFC 9110).

import type { Socket } from 'node:net'
import type { ProxyAddress } from '@msgnet/shared/proxy-address.ts'
import { readHead } from './proxy-reader.ts'
import type { Target } from './target.ts'

const HEAD_BYTES = 16 * 1024

export async function connectByHttp(
  socket: Socket,
  { user, password }: ProxyAddress,
  { host, port }: Target,
) {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const credentials = Buffer.from(`${user}:${password}`).toString('base64')
  const lines = [
    `CONNECT ${authority} HTTP/1.1`,
    `Host: ${authority}`,
    ...(user || password ? [`Proxy-Authorization: Basic ${credentials}`] : []),
    'Proxy-Connection: close',
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  const head = await readHead(socket, HEAD_BYTES)
  const status = /^HTTP\/1\.\d (\d{3})/.exec(head.toString('latin1', 0, 16))?.[1]
  if (status !== '200') throw new Error(`the proxy answered ${status ?? 'no HTTP'}`)
}
