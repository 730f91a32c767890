// Accepts sockets: each has its own handshake, and its stanzas are handled in order.
import type { Server } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Stanza } from '../codec/stanza.ts'
import type { ServerIdentity } from '../wire/certificates.ts'
import { ClientSocket } from '../wire/client-socket.ts'
import { type Connection, whose } from './connections.ts'
import { dispatch } from './dispatch.ts'
import { introduce } from './login.ts'
import type { Network } from './network.ts'
import { leavePresence } from './presence.ts'

const PATH = '/ws/chat'

export class Sockets {
  readonly #network: Network
  readonly #identity: ServerIdentity
  /** Stanzas that are being handled: a client may close after its last one. */
  readonly #busy = new Set<Promise<void>>()

  constructor(network: Network, identity: ServerIdentity) {
    this.#network = network
    this.#identity = identity
  }

  acceptFrom(server: Server) {
    const sockets = new WebSocketServer({ noServer: true })
    server.on('upgrade', (request, socket, head) => {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname
      if (path !== PATH || this.#network.faults.unreachable(undefined)) return socket.destroy()
      sockets.handleUpgrade(request, socket, head, (accepted) => this.#converse(accepted))
    })
  }

  /** Resolves when all received stanzas have been handled. */
  async idle() {
    while (this.#busy.size > 0) await Promise.all(this.#busy)
  }

  #converse(socket: WebSocket) {
    const network = this.#network
    let connection: Connection | undefined
    // A message has to be decrypted before the receipt that follows it is looked at.
    let turn = Promise.resolve()
    const client: ClientSocket = new ClientSocket(socket, this.#identity, {
      introduced(payload, staticKey) {
        try {
          connection = introduce(network, client, payload, staticKey)
        } catch (error) {
          fail(client, error)
        }
      },
      received: (stanza) => {
        if (connection === undefined) return
        const handled = inTurn(turn, network, connection, stanza)
        turn = handled
        this.#busy.add(handled)
        void handled.finally(() => this.#busy.delete(handled))
      },
      closed() {
        if (connection === undefined) return
        network.connections.closed(connection)
        leavePresence(network, connection)
        network.references.takeBack(connection)
        network.codes.withdraw(connection)
        network.passkeys.withdraw(connection)
        network.log.saw(whose(connection), { what: 'closed' })
      },
    })
  }
}

async function inTurn(turn: Promise<void>, network: Network, connection: Connection, stanza: Stanza) {
  await turn
  try {
    await dispatch(network, connection, stanza)
  } catch (error) {
    fail(connection.socket, error)
  }
}

/** An error of one client must not end the network for the others. */
function fail(client: ClientSocket, error: unknown) {
  console.error(error)
  client.drop()
}
