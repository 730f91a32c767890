// Delivers stanzas to companions: each is queued first, sent if the companion is connected, and removed when acknowledged.
import { encodeStanza, type Stanza, stanza } from '../codec/stanza.ts'
import { SERVER } from './address.ts'
import { sendBacklog } from './backlog.ts'
import type { Connection } from './connections.ts'
import type { Network } from './network.ts'

export function deliver(network: Network, number: string, device: number, sent: Stanza) {
  network.store.queue.add(number, device, sent.tag, sent.attrs.id ?? '', encodeStanza(sent))
  const connection = network.connections.online(number, device)
  if (connection?.flowing) connection.socket.send(sent)
}

/** Sends the same stanza to every companion of an account except the one that caused it. */
export function deliverToAll(network: Network, number: string, sent: Stanza, except?: number) {
  for (const { device } of network.store.companions.of(number)) {
    if (device !== except) deliver(network, number, device, sent)
  }
}

/** Notifies an account's companions of a change of a group or of someone's devices, unless a fault loses the notice. */
export function deliverNotice(network: Network, number: string, sent: Stanza, except?: number) {
  if (network.faults.strikes('lost_notice', { number, group: sent.attrs.from })) return
  deliverToAll(network, number, sent, except)
}

/** Called when the companion is ready: announces the size of its backlog, and sends it. */
export function beginDelivery(network: Network, connection: Connection) {
  const { owner, socket } = connection
  if (owner.kind !== 'companion' || connection.flowing) return
  if (network.connections.online(owner.number, owner.device) !== connection) return
  const waiting = network.store.queue.counts(owner.number, owner.device)
  const all = Object.values(waiting).reduce((sum, count) => sum + count, 0)
  const count = (tag: string) => String(waiting[tag] ?? 0)
  const counts = {
    count: String(all),
    message: count('message'),
    notification: count('notification'),
    receipt: count('receipt'),
    appdata: '0',
  }
  if (all > 0) socket.send(stanza('ib', { from: SERVER }, [stanza('offline_preview', counts)]))
  sendBacklog(network, connection)
}
