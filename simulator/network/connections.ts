// The live connections: the account of each, and whether it takes stanzas yet.
import { type Stanza, stanza } from '../codec/stanza.ts'
import type { Form } from '../store/messages.ts'
import type { ClientSocket } from '../wire/client-socket.ts'
import { SERVER } from './address.ts'
import type { Whose } from './log.ts'
import { freshId } from './stamps.ts'

/** The data that a device sent about itself to be linked. */
export type Candidate = {
  noiseKey: Buffer
  identity: Buffer
  registration: number
  signedPreKey: { id: number; public: Buffer; signature: Buffer }
}

/** A companion's backlog while it is being sent. */
export type Backlog = {
  /** The last one sent, by its place in the queue. */
  upTo: number
  sent: number
  unacknowledged: number
  stalled?: NodeJS.Timeout
}

export type Connection = {
  socket: ClientSocket
  owner: { kind: 'candidate'; candidate: Candidate } | { kind: 'companion'; number: string; device: number }
  /** Set once the companion is active and has been sent its backlog; before that stanzas wait. */
  flowing: boolean
  /** Set while the backlog is being sent. */
  backlog?: Backlog
  /** Whether a person uses the companion now. */
  available: boolean
  /** Numbers of the accounts whose presence it has subscribed to, each with the form of its address. */
  watched: Map<string, Form>
  /** The answers that the network waits for, by the id of its request. */
  awaited: Map<string, (answer: Stanza) => void>
}

export function whose({ owner }: Connection): Whose {
  if (owner.kind === 'candidate') return { number: null, device: null }
  return { number: owner.number, device: owner.device }
}

/** Sends a request to the client; `then` is called with the answer. */
export function request(connection: Connection, content: Stanza[], then?: (answer: Stanza) => void) {
  const id = freshId()
  if (then !== undefined) connection.awaited.set(id, then)
  connection.socket.send(stanza('iq', { from: SERVER, type: 'set', id, xmlns: 'md' }, content))
}

export class Connections {
  readonly #all = new Set<Connection>()
  readonly #online = new Map<string, Connection>()

  opened(connection: Connection) {
    this.#all.add(connection)
    const { owner } = connection
    if (owner.kind === 'companion') this.#online.set(`${owner.number}.${owner.device}`, connection)
  }

  closed(connection: Connection) {
    this.#all.delete(connection)
    const { owner } = connection
    if (owner.kind === 'candidate') return
    const key = `${owner.number}.${owner.device}`
    // A newer connection of the same companion may have taken the place already.
    if (this.#online.get(key) === connection) this.#online.delete(key)
  }

  online(number: string, device: number): Connection | undefined {
    return this.#online.get(`${number}.${device}`)
  }

  /** All of them, or those of one account. */
  of(number?: string): Connection[] {
    const all = [...this.#all]
    return number === undefined ? all : all.filter((connection) => whose(connection).number === number)
  }
}
