// Reads a proxy's answer and no byte more: the rest stays in the socket for the next reader.

import { once } from 'node:events'
import type { Socket } from 'node:net'

/** Reads exactly `count` bytes. Throws if the socket ends before that. */
export async function takeBytes(socket: Socket, count: number): Promise<Buffer> {
  for (;;) {
    const taken: Buffer | null = socket.read(count)
    if (taken?.length === count) return taken
    await more(socket)
  }
}

/** Reads at most `atMost` bytes, up to and with the first empty line; the bytes behind it are put back. */
export async function takeHead(socket: Socket, atMost: number): Promise<Buffer> {
  const head = Buffer.alloc(atMost)
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
      if (filled === atMost) throw new Error(`the proxy's answer is longer than ${atMost} bytes`)
    } else await more(socket)
  }
}

async function more(socket: Socket): Promise<void> {
  if (socket.destroyed || socket.readableEnded) throw new Error('the proxy closed the connection')
  const heard = new AbortController()
  const { signal } = heard
  // `end` and `close` bring no bytes: the next call finds the end.
  await Promise.race(['readable', 'end', 'close'].map((event) => once(socket, event, { signal })))
    .finally(() => heard.abort())
    .catch(() => {
      throw new Error('the proxy cannot be reached')
    })
}
