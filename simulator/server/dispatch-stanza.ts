// Dispatches each stanza of a client to its handler.

import { receiveCall } from '../calls/companion-calls.ts'
import { listChildren, readText, type Stanza } from '../codec/stanza.ts'
import { sendMoreBacklog } from '../network/backlog.ts'
import { type Connection, getDeviceId } from '../network/connections.ts'
import type { Network } from '../network/simulated-network.ts'
import { receiveChatState, receivePresence } from '../people/presence.ts'
import { handleRequest } from '../requests/handle-iq.ts'
import { receiveMessage } from './receive-message.ts'
import { receiveReceipt } from './receive-receipt.ts'

/** Stanzas about the client itself, which this network ignores. The backlog is sent whether a client requests its batches or not. */
const INFORMATION = new Set(['unified_session', 'offline_batch'])

export async function dispatchStanza(network: Network, connection: Connection, stanza: Stanza) {
  switch (stanza.tag) {
    case 'iq':
      return isResponse(stanza)
        ? receiveResponse(connection, stanza)
        : handleRequest(network, connection, stanza)
    case 'message':
      return receiveMessage(network, connection, stanza)
    case 'receipt':
      return receiveReceipt(network, connection, stanza)
    case 'call':
      return receiveCall(network, connection, stanza)
    case 'ack':
      return removeAcknowledged(network, connection, stanza)
    case 'ib':
      return receiveInformation(network, connection, stanza)
    case 'presence':
      return receivePresence(network, connection, stanza)
    case 'chatstate':
      return receiveChatState(network, connection, stanza)
    default:
      return logUnknown(network, connection, stanza)
  }
}

function isResponse({ attrs }: Stanza): boolean {
  return attrs.type === 'result' || attrs.type === 'error'
}

function receiveResponse(connection: Connection, stanza: Stanza) {
  const id = stanza.attrs.id ?? ''
  const then = connection.pendingResponses.get(id)
  connection.pendingResponses.delete(id)
  then?.(stanza)
}

function receiveInformation(network: Network, connection: Connection, stanza: Stanza) {
  for (const part of listChildren(stanza)) {
    if (!INFORMATION.has(part.tag)) logUnknown(network, connection, stanza)
  }
}

function logUnknown(network: Network, connection: Connection, stanza: Stanza) {
  network.log.unknown.add({
    at: Date.now(),
    number: getDeviceId(connection).number,
    stanza: { ...stanza, text: readText(stanza) },
  })
}

/** A companion has acknowledged a stanza, which leaves its queue. */
function removeAcknowledged(network: Network, { owner }: Connection, { attrs }: Stanza) {
  if (owner.kind !== 'companion' || !attrs.id || !attrs.class) return
  network.store.queue.deleteStanza(owner.number, owner.device, attrs.class, attrs.id)
  sendMoreBacklog(network, owner.number, owner.device)
}
