// Handles a companion's acknowledgement of a stanza, which is then removed from the queue.
import type { Stanza } from '../codec/stanza.ts'
import { sendMoreBacklog } from './backlog.ts'
import type { Connection } from './connections.ts'
import type { Network } from './simulated-network.ts'

export function removeAcknowledged(network: Network, { owner }: Connection, { attrs }: Stanza) {
  if (owner.kind !== 'companion' || !attrs.id || !attrs.class) return
  network.store.queue.deleteStanza(owner.number, owner.device, attrs.class, attrs.id)
  sendMoreBacklog(network, owner.number, owner.device)
}
