// An HTTP agent that opens every connection through a proxy, and closes them all when it is destroyed.

import { Agent, type AgentOptions, type ClientRequestArgs } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { type DialOptions, dialProxy } from './dial.ts'

type Callback = (error: Error | null, socket: Duplex) => void
/** The options of the request, with those of TLS. */
type Options = ClientRequestArgs & Pick<ConnectionOptions, 'ca' | 'servername'>

export class ProxyAgent extends Agent {
  readonly #proxy: string
  readonly #secure: boolean
  readonly #dialOptions: DialOptions
  readonly #over = new AbortController()
  readonly #open = new Set<Socket>()

  /** `protocol`: the protocol of its requests. */
  constructor(proxy: string, protocol: 'http:' | 'https:', dialOptions: DialOptions) {
    super({ keepAlive: false, protocol, defaultPort: protocol === 'https:' ? 443 : 80 } as AgentOptions)
    this.#proxy = proxy
    this.#secure = protocol === 'https:'
    this.#dialOptions = dialOptions
  }

  override createConnection(options: Options, callback?: Callback): undefined {
    const target = { host: options.host ?? '', port: Number(options.port) }
    dialProxy(this.#proxy, target, this.#over.signal, this.#dialOptions).then(
      (socket) => callback?.(null, this.#prepareSocket(socket, options)),
      (error) => callback?.(error, undefined as never),
    )
  }

  #prepareSocket(socket: Socket, { host, ca, servername }: Options): Duplex {
    this.#open.add(socket)
    socket.once('close', () => this.#open.delete(socket))
    if (!this.#secure) return socket
    // The name that the certificate must have; the connection is already there.
    const names = { ...(host && { host }), ...(servername && { servername }) }
    return connectTls({ socket, ...names, ...(ca && { ca }), ALPNProtocols: ['http/1.1'] })
  }

  /** Closes all its connections, and opens no more. */
  override destroy(): void {
    this.#over.abort()
    for (const socket of this.#open) socket.destroy()
    super.destroy()
  }
}
