// Delivers stanzas to companions: each is queued first, sent if the companion is connected, and removed when acknowledged.
import { buildStanza, encodeStanza, type Stanza } from '../codec/stanza.ts'
import { SERVER } from './address.ts'
import { sendBacklog } from './backlog.ts'
import type { Connection } from './connections.ts'
import type { Network } from './simulated-network.ts'

export function deliverStanza(network: Network, number: string, device: number, sent: Stanza) {
  network.store.queue.addStanza(number, device, sent.tag, sent.attrs.id ?? '', encodeStanza(sent))
  const connection = network.connections.findOnline(number, device)
  if (connection?.flowing) connection.socket.send(sent)
}

/** Sends the same stanza to every companion of an account except the one that caused it. */
export function deliverToAll(network: Network, number: string, sent: Stanza, except?: number) {
  for (const { device } of network.store.companions.listByNumber(number)) {
    if (device !== except) deliverStanza(network, number, device, sent)
  }
}

/** Notifies an account's companions of a change of a group or of someone's devices, unless a fault loses the notice. */
export function deliverNotice(network: Network, number: string, sent: Stanza, except?: number) {
  if (network.faults.consumeFault('lost_notice', { number, group: sent.attrs.from })) return
  deliverToAll(network, number, sent, except)
}

/** Called when the companion is ready: announces the size of its backlog, and sends it. */
export function beginDelivery(network: Network, connection: Connection) {
  const { owner, socket } = connection
  if (owner.kind !== 'companion' || connection.flowing) return
  if (network.connections.findOnline(owner.number, owner.device) !== connection) return
  const waiting = network.store.queue.countByTag(owner.number, owner.device)
  const all = Object.values(waiting).reduce((sum, count) => sum + count, 0)
  const formatCount = (tag: string) => String(waiting[tag] ?? 0)
  const counts = {
    count: String(all),
    message: formatCount('message'),
    notification: formatCount('notification'),
    receipt: formatCount('receipt'),
    appdata: '0',
  }
  if (all > 0) socket.send(buildStanza('ib', { from: SERVER }, [buildStanza('offline_preview', counts)]))
  sendBacklog(network, connection)
}
