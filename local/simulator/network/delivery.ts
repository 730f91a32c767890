// How a stanza reaches a companion: kept first, sent if it is there, gone from the queue when acknowledged.
import { asBuffer, decodeStanza, encodeStanza, type Stanza, stanza } from '../codec/stanza.ts'
import { SERVER } from './address.ts'
import type { Connection } from './connections.ts'
import type { Network } from './network.ts'

export function deliver(network: Network, number: string, device: number, sent: Stanza) {
  network.store.queue.add(number, device, sent.tag, sent.attrs.id ?? '', encodeStanza(sent))
  const connection = network.connections.online(number, device)
  if (connection?.flowing) connection.wire.send(sent)
}

/** The same stanza to every companion of an account, but for the one that caused it. */
export function deliverToAll(network: Network, number: string, sent: Stanza, except?: number) {
  for (const { device } of network.store.companions.of(number)) {
    if (device !== except) deliver(network, number, device, sent)
  }
}

/** Called when the companion says that it is ready: announces what waits, or that nothing does. */
export function announceWaiting(network: Network, connection: Connection) {
  const { owner, wire } = connection
  if (owner.kind !== 'companion' || connection.flowing) return
  if (network.connections.online(owner.number, owner.device) !== connection) return
  const waiting = network.store.queue.waiting(owner.number, owner.device)
  if (waiting.length === 0) return handOver(network, connection)
  const count = (tag: string) => String(waiting.filter((one) => one.tag === tag).length)
  const counts = {
    count: String(waiting.length),
    message: count('message'),
    notification: count('notification'),
    receipt: count('receipt'),
    appdata: '0',
  }
  wire.send(stanza('ib', { from: SERVER }, [stanza('offline_preview', counts)]))
}

/** All that waits, marked as late, and the word that this was it; from then on stanzas come as they happen. */
export function handOver(network: Network, connection: Connection) {
  const { owner, wire } = connection
  if (owner.kind !== 'companion' || connection.flowing) return
  const waiting = network.store.queue.waiting(owner.number, owner.device)
  for (const [index, one] of waiting.entries()) {
    const late = decodeStanza(asBuffer(one.stanza))
    late.attrs.offline = String(index)
    wire.send(late)
  }
  wire.send(stanza('ib', { from: SERVER }, [stanza('offline', { count: String(waiting.length) })]))
  connection.flowing = true
}
