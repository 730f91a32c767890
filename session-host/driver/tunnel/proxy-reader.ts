// Reads a proxy's response and no byte more: the rest stays in the socket for the next reader.

import { once } from 'node:events'
import type { Socket } from 'node:net'

/** Reads exactly `count` bytes. Throws if the socket ends before that. */
export async function readBytes(socket: Socket, count: number): Promise<Buffer> {
  for (;;) {
    const bytes: Buffer | null = socket.read(count)
    if (bytes?.length === count) return bytes
    await waitForBytes(socket)
  }
}

/** Reads at most `maxBytes` bytes, up to and with the first empty line; the bytes behind it are put back. */
export async function readHead(socket: Socket, maxBytes: number): Promise<Buffer> {
  const head = Buffer.alloc(maxBytes)
  let filled = 0
  for (;;) {
    const chunk: Buffer | null = socket.read()
    if (chunk) {
      const before = filled
      filled += chunk.copy(head, filled)
      const end = head.subarray(0, filled).indexOf('\r\n\r\n', Math.max(0, before - 3))
      if (end >= 0) {
        const rest = chunk.subarray(end + 4 - before)
        if (rest.length > 0) socket.unshift(rest)
        return head.subarray(0, end + 4)
      }
      if (filled === maxBytes) throw new Error(`the proxy's answer is longer than ${maxBytes} bytes`)
    } else await waitForBytes(socket)
  }
}

async function waitForBytes(socket: Socket): Promise<void> {
  if (socket.destroyed || socket.readableEnded) throw new Error('the proxy closed the connection')
  const received = new AbortController()
  const { signal } = received
  // `end` and `close` have no bytes: the next call finds the end.
  await Promise.race(['readable', 'end', 'close'].map((event) => once(socket, event, { signal })))
    .finally(() => received.abort())
    .catch(() => {
      throw new Error('the proxy cannot be reached')
    })
}
