// A companion's stanzas about calls: it rejects one, or requests a call link.
import { randomBytes } from 'node:crypto'
import { buildStanza, listChildren, type Stanza } from '../codec/stanza.ts'
import { parseAddress } from '../network/address.ts'
import { mayBecome } from '../network/call-registry.ts'
import { type Connection, getDeviceId } from '../network/connections.ts'
import { Refusal } from '../network/refusal-codes.ts'
import type { Network } from '../network/simulated-network.ts'
import { buildStreamError } from '../network/stream-errors.ts'
import { rejectFromCompanion } from './ring-companions.ts'

export function receiveCall(network: Network, connection: Connection, call: Stanza) {
  const { number, device } = getDeviceId(connection)
  const [signal] = listChildren(call)
  const { id, to } = call.attrs
  if (number === null || device === null || !id || !to || signal === undefined) {
    connection.socket.endWith(buildStreamError(400))
    return
  }
  const callId = signal.attrs['call-id'] ?? ''
  network.log.addEntry(
    { number, device },
    { what: 'call', did: signal.tag, callId, form: parseAddress(to)?.form },
  )
  const fault = network.faults.consumeRequestFault({ number, tags: ['call', signal.tag] })
  if (fault.silent) return
  const ack = { class: 'call', id, from: to, type: signal.tag }
  try {
    if (fault.refused !== undefined) throw new Refusal(fault.refused)
    connection.socket.send(buildStanza('ack', ack, applyCall(network, number, device, signal)))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    connection.socket.send(buildStanza('ack', { ...ack, error: String(error.code) }))
  }
}

function applyCall(network: Network, number: string, device: number, signal: Stanza): Stanza[] {
  switch (signal.tag) {
    case 'reject': {
      const call = network.calls.findCall(signal.attrs['call-id'] ?? '')
      if (call?.to !== number) throw new Refusal(404)
      // Rejecting a call that has ended has no effect, and is no error.
      if (mayBecome(call, 'reject')) rejectFromCompanion(network, call, device)
      return []
    }
    case 'link_create': {
      const { media } = signal.attrs
      if (media !== 'audio' && media !== 'video') throw new Refusal(400)
      return [buildStanza('link_create', { media, token: randomBytes(16).toString('base64url') })]
    }
    default:
      // This network has no voice calls.
      throw new Refusal(501)
  }
}
