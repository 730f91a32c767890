// Handles the login of a client: a candidate gets references for its QR codes, a companion is connected.
import { randomBytes } from 'node:crypto'
import type { proto } from '../codec/protobuf.ts'
import { buildStanza, type Stanza } from '../codec/stanza.ts'
import { formatAddress } from '../network/address.ts'
import { sendRouting } from '../network/client-terms.ts'
import type { Connection } from '../network/connections.ts'
import type { Network } from '../network/simulated-network.ts'
import { buildLoginFailure, buildReplaced } from '../network/stream-errors.ts'
import { readCandidate } from '../pairing/candidate.ts'
import { sendReferences } from '../pairing/send-references.ts'
import type { Companion } from '../store/companion-table.ts'
import type { ClientSocket } from '../wire/client-socket.ts'

const UNAUTHORIZED = 401
/** The announced version is too old. */
const OUTDATED = 405

/** The connection, or undefined if the client was refused. */
export function acceptLogin(
  network: Network,
  socket: ClientSocket,
  payload: proto.ClientPayload,
  noiseKey: Buffer,
): Connection | undefined {
  const number = payload.username == null ? undefined : String(payload.username)
  if (number !== undefined && network.faults.isUnreachable(number)) {
    socket.drop()
    return undefined
  }
  const failure = network.faults.findLoginFailure(number)
  if (failure !== undefined) {
    socket.endWith(buildLoginFailure(failure))
    return undefined
  }
  if (!network.terms.acceptsVersion(payload)) {
    socket.endWith(buildLoginFailure(OUTDATED))
    return undefined
  }
  return number === undefined
    ? openCandidate(network, socket, payload, noiseKey)
    : openCompanion(network, socket, number, payload.device ?? 0, noiseKey)
}

function openCandidate(
  network: Network,
  socket: ClientSocket,
  payload: proto.ClientPayload,
  noiseKey: Buffer,
) {
  const candidate = readCandidate(payload, noiseKey)
  if (candidate === undefined) {
    socket.endWith(buildLoginFailure(400))
    return undefined
  }
  const connection = openConnection(network, socket, { kind: 'candidate', candidate })
  if (network.faults.welcomesStranger()) socket.send(buildStanza('success', { t: network.terms.formatNow() }))
  sendReferences(network, connection)
  return connection
}

function openCompanion(
  network: Network,
  socket: ClientSocket,
  number: string,
  device: number,
  noiseKey: Buffer,
) {
  const companion = network.store.companions.find(number, device)
  if (companion === undefined || !companion.noiseKey.equals(noiseKey)) {
    socket.endWith(buildLoginFailure(UNAUTHORIZED))
    return undefined
  }
  network.connections.findOnline(number, device)?.socket.endWith(buildReplaced())
  const connection = openConnection(network, socket, { kind: 'companion', number, device })
  const routing = socket.routing?.toString('base64')
  network.log.addEntry({ number, device }, { what: 'login', ...(routing && { routing }) })
  socket.send(buildSuccess(network, companion))
  sendRouting(connection)
  for (const dirty of network.terms.buildDirtyStanzas(number)) socket.send(dirty)
  return connection
}

function openConnection(network: Network, socket: ClientSocket, owner: Connection['owner']): Connection {
  const connection: Connection = {
    socket,
    owner,
    flowing: false,
    available: false,
    watched: new Map(),
    pendingResponses: new Map(),
  }
  network.connections.add(connection)
  return connection
}

function buildSuccess(network: Network, { number, device }: Companion): Stanza {
  const account = network.store.accounts.find(number)
  return buildStanza('success', {
    t: network.terms.formatNow(),
    props: '27',
    companion_enc_static: randomBytes(32).toString('base64'),
    lid: account && formatAddress(account, 'lid', device),
    display_name: account?.name,
    location: 'sim',
  })
}
