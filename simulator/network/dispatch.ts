// Dispatches each stanza of a client to its handler.
import { children, type Stanza, textOf } from '../codec/stanza.ts'
import { answer } from '../requests/answer.ts'
import { acknowledged } from './acknowledgements.ts'
import { takeCall } from './companion-calls.ts'
import { type Connection, whose } from './connections.ts'
import { takeMessage } from './messages/messages.ts'
import { takeReceipt } from './messages/receipts.ts'
import type { Network } from './network.ts'
import { takeChatState, takePresence } from './presence.ts'

/** Stanzas about the client itself, which this network ignores. The backlog flows whether a client asks for its batches or not. */
const INFORMATION = new Set(['unified_session', 'offline_batch'])

export async function dispatch(network: Network, connection: Connection, stanza: Stanza) {
  switch (stanza.tag) {
    case 'iq':
      return isAnswer(stanza) ? takeAnswer(connection, stanza) : answer(network, connection, stanza)
    case 'message':
      return takeMessage(network, connection, stanza)
    case 'receipt':
      return takeReceipt(network, connection, stanza)
    case 'call':
      return takeCall(network, connection, stanza)
    case 'ack':
      return acknowledged(network, connection, stanza)
    case 'ib':
      return takeInformation(network, connection, stanza)
    case 'presence':
      return takePresence(network, connection, stanza)
    case 'chatstate':
      return takeChatState(network, connection, stanza)
    default:
      return unknown(network, connection, stanza)
  }
}

function isAnswer({ attrs }: Stanza): boolean {
  return attrs.type === 'result' || attrs.type === 'error'
}

function takeAnswer(connection: Connection, stanza: Stanza) {
  const id = stanza.attrs.id ?? ''
  const then = connection.awaited.get(id)
  connection.awaited.delete(id)
  then?.(stanza)
}

function takeInformation(network: Network, connection: Connection, stanza: Stanza) {
  for (const part of children(stanza)) {
    if (!INFORMATION.has(part.tag)) unknown(network, connection, stanza)
  }
}

function unknown(network: Network, connection: Connection, stanza: Stanza) {
  network.log.unknown.add({
    at: Date.now(),
    number: whose(connection).number,
    stanza: { ...stanza, text: textOf(stanza) },
  })
}
