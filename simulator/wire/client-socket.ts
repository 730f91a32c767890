// One client socket: the handshake, then stanzas in both directions.
import type { WebSocket } from 'ws'
import { proto } from '../codec/protobuf.ts'
import { decodeStanza, encodeStanza, type Stanza } from '../codec/stanza.ts'
import type { ServerIdentity } from './certificates.ts'
import { NoiseResponder, type Transport } from './noise.ts'
import { encodeFrame, FrameReader } from './noise-frames.ts'

export type SocketListener = {
  /** The client has proved its static key and sent its payload. */
  onHandshake(payload: proto.ClientPayload, staticKey: Buffer): void
  onStanza(stanza: Stanza): void
  /** Called once, whichever side closed. */
  onClosed(): void
}

const HANDSHAKE_DEADLINE_MS = 20_000
/** After the last stanza the client has this long to close: a client that receives both at once may miss the stanza. */
const CLOSING_MS = 300

export class ClientSocket {
  readonly #socket: WebSocket
  readonly #listener: SocketListener
  readonly #noise: NoiseResponder
  readonly #frames = new FrameReader()
  #step: 'hello' | 'finish' | 'open' = 'hello'
  #transport: Transport | undefined
  #silent = false
  #closing: NodeJS.Timeout | undefined

  constructor(socket: WebSocket, identity: ServerIdentity, listener: SocketListener) {
    this.#socket = socket
    this.#listener = listener
    this.#noise = new NoiseResponder(identity)
    const deadline = setTimeout(() => {
      if (this.#step !== 'open') this.drop()
    }, HANDSHAKE_DEADLINE_MS)
    socket.on('message', (data: Buffer) => this.#readData(data))
    socket.on('error', () => this.drop())
    socket.on('close', () => {
      clearTimeout(deadline)
      clearTimeout(this.#closing)
      listener.onClosed()
    })
  }

  /** The routing information with which the client opened the stream. */
  get routing(): Buffer | undefined {
    return this.#frames.routing
  }

  send(stanza: Stanza) {
    this.sendEncoded(encodeStanza(stanza))
  }

  /** Sends bytes in place of an encoded stanza. */
  sendEncoded(bytes: Uint8Array) {
    if (this.#silent || this.#transport === undefined || this.#socket.readyState !== this.#socket.OPEN) return
    this.#socket.send(encodeFrame(this.#transport.seal(bytes)))
  }

  /** Sends a last stanza and ends the stream: nothing more is sent or read. */
  endWith(last: Stanza) {
    this.send(last)
    this.#silent = true
    this.#closing ??= setTimeout(() => this.#socket.close(), CLOSING_MS)
  }

  /** Keeps the socket open, but reads and sends nothing more. */
  stopResponding() {
    this.#silent = true
  }

  /** Notifies the listener that the client is gone. */
  onSocketClosed(notify: () => void) {
    this.#socket.once('close', notify)
  }

  /** Ends the connection without a closing stanza, like a failing network. */
  drop() {
    this.#socket.terminate()
  }

  // After an error of framing, handshake or encryption the stream is unusable, so no response is sent.
  #readData(data: Buffer) {
    if (this.#silent) return
    try {
      for (const body of this.#frames.addChunk(data)) this.#acceptFrame(body)
    } catch {
      this.drop()
    }
  }

  #acceptFrame(body: Buffer) {
    if (this.#step === 'hello') return this.#acceptHello(body)
    if (this.#step === 'finish') return this.#acceptFinish(body)
    if (this.#transport !== undefined) this.#listener.onStanza(decodeStanza(this.#transport.open(body)))
  }

  #acceptHello(body: Buffer) {
    const ephemeral = proto.HandshakeMessage.decode(body).clientHello?.ephemeral
    if (ephemeral?.length !== 32) throw new Error('a hello without an ephemeral key')
    const serverHello = this.#noise.respondToHello(ephemeral)
    this.#step = 'finish'
    this.#socket.send(encodeFrame(proto.HandshakeMessage.encode({ serverHello }).finish()))
  }

  #acceptFinish(body: Buffer) {
    const finish = proto.HandshakeMessage.decode(body).clientFinish
    if (!finish?.static || !finish.payload) throw new Error('a finish without key or payload')
    const { staticKey, payload, transport } = this.#noise.readFinish(finish.static, finish.payload)
    this.#transport = transport
    this.#step = 'open'
    this.#listener.onHandshake(proto.ClientPayload.decode(payload), staticKey)
  }
}
