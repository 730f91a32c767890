// Accepts sockets: each has its own handshake, and its stanzas are handled in order.
import type { Server } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Stanza } from '../codec/stanza.ts'
import { type Connection, getDeviceId } from '../network/connections.ts'
import type { Network } from '../network/simulated-network.ts'
import { endPresence } from '../people/presence.ts'
import type { ServerIdentity } from '../wire/certificates.ts'
import { ClientSocket } from '../wire/client-socket.ts'
import { dispatchStanza } from './dispatch-stanza.ts'
import { acceptLogin } from './login.ts'

const PATH = '/ws/chat'

export class Sockets {
  readonly #network: Network
  readonly #identity: ServerIdentity
  /** Stanzas that are being handled: a client may close after its last one. */
  readonly #pending = new Set<Promise<void>>()

  constructor(network: Network, identity: ServerIdentity) {
    this.#network = network
    this.#identity = identity
  }

  acceptFrom(server: Server) {
    const sockets = new WebSocketServer({ noServer: true })
    server.on('upgrade', (request, socket, head) => {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname
      if (path !== PATH || this.#network.faults.isUnreachable(undefined)) return socket.destroy()
      sockets.handleUpgrade(request, socket, head, (accepted) => this.#startConnection(accepted))
    })
  }

  /** Resolves when all received stanzas have been handled. */
  async waitUntilIdle() {
    while (this.#pending.size > 0) await Promise.all(this.#pending)
  }

  #startConnection(socket: WebSocket) {
    const network = this.#network
    let connection: Connection | undefined
    // A message has to be decrypted before the receipt that follows it is looked at.
    let turn = Promise.resolve()
    const client: ClientSocket = new ClientSocket(socket, this.#identity, {
      onHandshake(payload, staticKey) {
        try {
          connection = acceptLogin(network, client, payload, staticKey)
        } catch (error) {
          dropClient(client, error)
        }
      },
      onStanza: (stanza) => {
        if (connection === undefined) return
        const handled = handleInTurn(turn, network, connection, stanza)
        turn = handled
        this.#pending.add(handled)
        void handled.finally(() => this.#pending.delete(handled))
      },
      onClosed() {
        if (connection === undefined) return
        network.connections.remove(connection)
        endPresence(network, connection)
        network.references.revokeReferences(connection)
        network.codes.remove(connection)
        network.passkeys.remove(connection)
        network.log.addEntry(getDeviceId(connection), { what: 'closed' })
      },
    })
  }
}

async function handleInTurn(turn: Promise<void>, network: Network, connection: Connection, stanza: Stanza) {
  await turn
  try {
    await dispatchStanza(network, connection, stanza)
  } catch (error) {
    dropClient(connection.socket, error)
  }
}

/** An error of one client must not end the network for the others. */
function dropClient(client: ClientSocket, error: unknown) {
  console.error(error)
  client.drop()
}
