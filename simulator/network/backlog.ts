// The backlog of a companion, sent in batches: the next when half of the last has been acknowledged, so that answers and the
// logins of others are handled between two batches. Some clients ask for batches (`offline_batch`) and some do not.
import { asBuffer, buildStanza, decodeStanza } from '../codec/stanza.ts'
import { SERVER } from './address.ts'
import type { Connection } from './connections.ts'
import type { Network } from './simulated-network.ts'

const BATCH = 100
/** Some stanzas are acknowledged late or never; those behind them do not wait for that. */
const STALLED_MS = 1_000

/** Sends the whole backlog, marked as offline, and its end; from then on stanzas are sent at once. */
export function sendBacklog(network: Network, connection: Connection) {
  if (connection.owner.kind !== 'companion' || connection.flowing || connection.backlog) return
  connection.backlog = { upTo: 0, sent: 0, unacknowledged: 0 }
  sendBatch(network, connection)
}

/** A stanza has been acknowledged by this device. */
export function sendMoreBacklog(network: Network, number: string, device: number) {
  const connection = network.connections.findOnline(number, device)
  const under = connection?.backlog
  if (connection && under && --under.unacknowledged <= BATCH / 2) sendBatch(network, connection)
}

function sendBatch(network: Network, connection: Connection) {
  const { owner, socket, backlog: under } = connection
  clearTimeout(under?.stalled)
  if (!under || owner.kind !== 'companion') return
  if (network.connections.findOnline(owner.number, owner.device) !== connection) return
  const batch = network.store.queue.listWaiting(owner.number, owner.device, under.upTo, BATCH)
  for (const one of batch) {
    under.upTo = one.seq
    if (one.stanza === undefined) continue
    const late = decodeStanza(asBuffer(one.stanza))
    late.attrs.offline = String(under.sent++)
    socket.send(late)
  }
  under.unacknowledged += batch.length
  if (batch.length === BATCH) {
    under.stalled = setTimeout(() => sendBatch(network, connection), STALLED_MS).unref()
    return
  }
  socket.send(buildStanza('ib', { from: SERVER }, [buildStanza('offline', { count: String(under.sent) })]))
  delete connection.backlog
  connection.flowing = true
}
