// The backlog of a companion, sent in batches: the next when half of the last has been acknowledged, so that responses and the
// logins of other clients are handled between two batches. Some clients request batches (`offline_batch`), some do not.
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
  const backlog = connection?.backlog
  if (connection && backlog && --backlog.unacknowledged <= BATCH / 2) sendBatch(network, connection)
}

function sendBatch(network: Network, connection: Connection) {
  const { owner, socket, backlog } = connection
  clearTimeout(backlog?.stallTimer)
  if (!backlog || owner.kind !== 'companion') return
  if (network.connections.findOnline(owner.number, owner.device) !== connection) return
  const batch = network.store.queue.listWaiting(owner.number, owner.device, backlog.upTo, BATCH)
  for (const queued of batch) {
    backlog.upTo = queued.seq
    if (queued.stanza === undefined) continue
    const queuedStanza = decodeStanza(asBuffer(queued.stanza))
    queuedStanza.attrs.offline = String(backlog.sent++)
    socket.send(queuedStanza)
  }
  backlog.unacknowledged += batch.length
  if (batch.length === BATCH) {
    backlog.stallTimer = setTimeout(() => sendBatch(network, connection), STALLED_MS).unref()
    return
  }
  socket.send(buildStanza('ib', { from: SERVER }, [buildStanza('offline', { count: String(backlog.sent) })]))
  delete connection.backlog
  connection.flowing = true
}
