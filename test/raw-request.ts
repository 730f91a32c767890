// Requests as bytes on a connection, for what no HTTP client sends.

import { connect, type Socket } from 'node:net'

export interface RawRequest {
  method: string
  /** What stands between method and version. */
  target: string
  headers?: Record<string, string | string[]>
  version?: '1.0' | '1.1'
  body?: string
}

export function formatRequest({
  method,
  target,
  headers = {},
  version = '1.1',
  body = '',
}: RawRequest): string {
  const all = {
    ...(version === '1.1' && { host: 'gateway.test' }),
    ...(body && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  }
  const lines = Object.entries(all).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}: ${value}\r\n`),
  )
  return `${method} ${target} HTTP/${version}\r\n${lines.join('')}\r\n${body}`
}

/** What opens a WebSocket. */
export const upgradeHeaders = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

export function openConnection(baseUrl: string): Socket {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  // Bytes that are sent after a refusal may break the connection: what was received before counts.
  socket.on('error', () => undefined)
  return socket
}

const FINAL_STATUS = /HTTP\/1\.[01] ([2-5]\d\d|101)/g

/** Sends the bytes and returns the statuses of the first `count` responses, without reading their bodies to the end. */
export function readStatuses(baseUrl: string, bytes: string, count = 1): Promise<number[]> {
  return new Promise((resolve) => {
    let received = ''
    const socket = openConnection(baseUrl)
    const listStatuses = () => [...received.matchAll(FINAL_STATUS)].map(([, status]) => Number(status))
    socket.once('connect', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      if (listStatuses().length >= count) socket.destroy()
    })
    socket.once('close', () => resolve(listStatuses()))
  })
}
