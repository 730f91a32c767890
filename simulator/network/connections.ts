// The live connections: the account of each, and whether it is ready for stanzas.
import { buildStanza, type Stanza } from '../codec/stanza.ts'
import type { AddressForm } from '../store/message-table.ts'
import type { ClientSocket } from '../wire/client-socket.ts'
import { SERVER } from './address.ts'
import { createId } from './stanza-ids.ts'
import type { DeviceId } from './traffic-log.ts'

/** The data that a device sent about itself to be linked. */
export type Candidate = {
  noiseKey: Buffer
  identity: Buffer
  registration: number
  signedPreKey: { id: number; public: Buffer; signature: Buffer }
  /** It asks for all of the phone's history. */
  wantsFullHistory: boolean
}

/** A companion's backlog while it is being sent. */
export type Backlog = {
  /** The last one sent, by its position in the queue. */
  upTo: number
  sent: number
  unacknowledged: number
  stallTimer?: NodeJS.Timeout
}

/** The form of the account's address, and whether the watcher proved that the account knows it. */
export type Watch = { form: AddressForm; vouched: boolean }

export type Connection = {
  socket: ClientSocket
  owner: { kind: 'candidate'; candidate: Candidate } | { kind: 'companion'; number: string; device: number }
  /** Set once the companion is active and has been sent its backlog; before that stanzas wait. */
  flowing: boolean
  /** Set while the backlog is being sent. */
  backlog?: Backlog
  /** Whether a person uses the companion now. */
  available: boolean
  /** Numbers of the accounts whose presence it has subscribed to. */
  watched: Map<string, Watch>
  /** The responses that the network waits for, by the id of its request. */
  pendingResponses: Map<string, (response: Stanza) => void>
}

export function getDeviceId({ owner }: Connection): DeviceId {
  if (owner.kind === 'candidate') return { number: null, device: null }
  return { number: owner.number, device: owner.device }
}

/** Sends a request to the client; `onResponse` is called with the response. */
export function sendRequest(
  connection: Connection,
  content: Stanza[],
  onResponse?: (response: Stanza) => void,
) {
  const id = createId()
  if (onResponse !== undefined) connection.pendingResponses.set(id, onResponse)
  connection.socket.send(buildStanza('iq', { from: SERVER, type: 'set', id, xmlns: 'md' }, content))
}

export class Connections {
  readonly #all = new Set<Connection>()
  readonly #findOnline = new Map<string, Connection>()

  add(connection: Connection) {
    this.#all.add(connection)
    const { owner } = connection
    if (owner.kind === 'companion') this.#findOnline.set(`${owner.number}.${owner.device}`, connection)
  }

  remove(connection: Connection) {
    this.#all.delete(connection)
    const { owner } = connection
    if (owner.kind === 'candidate') return
    const key = `${owner.number}.${owner.device}`
    // A newer connection of the same companion may have replaced this one already.
    if (this.#findOnline.get(key) === connection) this.#findOnline.delete(key)
  }

  findOnline(number: string, device: number): Connection | undefined {
    return this.#findOnline.get(`${number}.${device}`)
  }

  /** All of them, or those of one account. */
  listConnections(number?: string): Connection[] {
    const all = [...this.#all]
    return number === undefined ? all : all.filter((connection) => getDeviceId(connection).number === number)
  }
}
