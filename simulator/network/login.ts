// Handles the login of a client: a candidate gets references for its QR codes, a companion is connected.
import { randomBytes } from 'node:crypto'
import type { proto } from '../codec/protobuf.ts'
import { type Stanza, stanza } from '../codec/stanza.ts'
import { readCandidate } from '../pairing/candidate.ts'
import { invitation } from '../pairing/invitation.ts'
import type { Companion } from '../store/companions.ts'
import type { ClientSocket } from '../wire/client-socket.ts'
import { addressOf } from './address.ts'
import type { Connection } from './connections.ts'
import type { Network } from './network.ts'
import { loginFailure, replaced } from './stream-errors.ts'
import { sendRouting } from './terms.ts'

const UNAUTHORIZED = 401
/** The announced version is too old. */
const OUTDATED = 405

/** The connection, or undefined if the client was refused. */
export function introduce(
  network: Network,
  socket: ClientSocket,
  payload: proto.ClientPayload,
  noiseKey: Buffer,
): Connection | undefined {
  const number = payload.username == null ? undefined : String(payload.username)
  if (number !== undefined && network.faults.unreachable(number)) {
    socket.drop()
    return undefined
  }
  const failure = network.faults.loginFailure(number)
  if (failure !== undefined) {
    socket.end(loginFailure(failure))
    return undefined
  }
  if (!network.terms.takes(payload)) {
    socket.end(loginFailure(OUTDATED))
    return undefined
  }
  return number === undefined
    ? admitCandidate(network, socket, payload, noiseKey)
    : admitCompanion(network, socket, number, payload.device ?? 0, noiseKey)
}

function admitCandidate(
  network: Network,
  socket: ClientSocket,
  payload: proto.ClientPayload,
  noiseKey: Buffer,
) {
  const candidate = readCandidate(payload, noiseKey)
  if (candidate === undefined) {
    socket.end(loginFailure(400))
    return undefined
  }
  const connection = open(network, socket, { kind: 'candidate', candidate })
  if (network.faults.welcomesStranger()) socket.send(stanza('success', { t: network.terms.now() }))
  invitation(network, connection)
  return connection
}

function admitCompanion(
  network: Network,
  socket: ClientSocket,
  number: string,
  device: number,
  noiseKey: Buffer,
) {
  const companion = network.store.companions.find(number, device)
  if (companion === undefined || !companion.noiseKey.equals(noiseKey)) {
    socket.end(loginFailure(UNAUTHORIZED))
    return undefined
  }
  network.connections.online(number, device)?.socket.end(replaced())
  const connection = open(network, socket, { kind: 'companion', number, device })
  const routing = socket.routing?.toString('base64')
  network.log.saw({ number, device }, { what: 'login', ...(routing && { routing }) })
  socket.send(welcome(network, companion))
  sendRouting(connection)
  for (const dirty of network.terms.dirt(number)) socket.send(dirty)
  return connection
}

function open(network: Network, socket: ClientSocket, owner: Connection['owner']): Connection {
  const connection: Connection = {
    socket,
    owner,
    flowing: false,
    available: false,
    watched: new Map(),
    awaited: new Map(),
  }
  network.connections.opened(connection)
  return connection
}

function welcome(network: Network, { number, device }: Companion): Stanza {
  const account = network.store.accounts.find(number)
  return stanza('success', {
    t: network.terms.now(),
    props: '27',
    companion_enc_static: randomBytes(32).toString('base64'),
    lid: account && addressOf(account, 'lid', device),
    display_name: account?.name,
    location: 'sim',
  })
}
