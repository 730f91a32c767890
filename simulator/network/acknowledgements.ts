// Handles a companion's acknowledgement of a stanza, which is then removed from the queue.
import type { Stanza } from '../codec/stanza.ts'
import { sendMoreBacklog } from './backlog.ts'
import type { Connection } from './connections.ts'
import type { Network } from './network.ts'

export function acknowledged(network: Network, { owner }: Connection, { attrs }: Stanza) {
  if (owner.kind !== 'companion' || !attrs.id || !attrs.class) return
  network.store.queue.settle(owner.number, owner.device, attrs.class, attrs.id)
  sendMoreBacklog(network, owner.number, owner.device)
}
