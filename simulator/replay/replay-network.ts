// A network that only plays a recording back: each client that connects is sent what the next recorded socket read.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import { generateKeyPair } from '../crypto/curve.ts'
import { createServerIdentity } from '../wire/certificates.ts'
import { playSocket } from './play-socket.ts'
import type { RecordedSocket } from './recording.ts'

const HOST = '127.0.0.1'

/** Listens on the loopback interface only, at a free port. */
export async function startReplay(sockets: RecordedSocket[]) {
  const root = generateKeyPair()
  const identity = createServerIdentity(root, generateKeyPair())
  const left = [...sockets]
  let scanned = Promise.withResolvers<string>()
  const server = createServer()
  const clients = new WebSocketServer({ server })
  clients.on('connection', (socket) => {
    const recorded = left.shift()
    if (recorded === undefined) return socket.close()
    playSocket(socket, identity, recorded, () => scanned.promise)
  })
  server.listen(0, HOST)
  await once(server, 'listening')
  return {
    networkUrl: `ws://${HOST}:${(server.address() as AddressInfo).port}/ws/chat`,
    /** The root certificate's public key, 32 bytes in hex. */
    rootKey: root.public.toString('hex'),
    /** The phone of the recorded account scans this code: a recorded pairing continues. */
    scanQr(qr: string) {
      scanned.resolve(qr)
      scanned = Promise.withResolvers()
      scanned.resolve(qr)
    },
    async close() {
      for (const client of clients.clients) client.terminate()
      clients.close()
      server.close()
      await once(server, 'close')
    },
  }
}
