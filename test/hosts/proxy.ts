// A wire between two parts of a test that can be cut, stalled and restored: plain TCP, bytes passed on as they come.

import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type TcpProxy = Awaited<ReturnType<typeof startProxy>>

export async function startProxy(target: { host: string; port: number }) {
  let state: 'open' | 'cut' | 'stalled' = 'open'
  const pairs = new Set<[Socket, Socket]>()
  const dropConnections = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
  }

  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (state === 'cut') return near.destroy()
    const far = connect(target)
    const pair: [Socket, Socket] = [near, far]
    pairs.add(pair)
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on('data', (bytes) => state === 'open' && to.write(bytes))
      from.on('end', () => state === 'open' && to.end())
      from.on('error', () => undefined)
      from.on('close', () => {
        if (state !== 'stalled') to.destroy()
        pairs.delete(pair)
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    /** `host:port` to dial in place of the target. */
    place: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Ends every connection and takes no new one. */
    cutConnections() {
      state = 'cut'
      dropConnections()
    },
    /** Connections stay open, and nothing passes any more, in either direction: what a half-open link looks like. */
    stallConnections() {
      state = 'stalled'
    },
    /** Everything passes again; what was stalled does not come back. */
    restoreConnections() {
      dropConnections()
      state = 'open'
    },
    async close() {
      state = 'cut'
      dropConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
