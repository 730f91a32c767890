// A companion's stanzas about calls: it rejects one, or requests a call link.
import { randomBytes } from 'node:crypto'
import { mayBecome } from '../calls/calls.ts'
import { rejectFrom } from '../calls/ringing.ts'
import { children, type Stanza, stanza } from '../codec/stanza.ts'
import { parseAddress } from './address.ts'
import { type Connection, whose } from './connections.ts'
import type { Network } from './network.ts'
import { Refusal } from './refusal.ts'
import { streamError } from './stream-errors.ts'

export function takeCall(network: Network, connection: Connection, call: Stanza) {
  const { number, device } = whose(connection)
  const [said] = children(call)
  const { id, to } = call.attrs
  if (number === null || device === null || !id || !to || said === undefined) {
    connection.socket.end(streamError(400))
    return
  }
  const callId = said.attrs['call-id'] ?? ''
  network.log.saw({ number, device }, { what: 'call', did: said.tag, callId, form: parseAddress(to)?.form })
  const fault = network.faults.forRequest({ number, tags: ['call', said.tag] })
  if (fault.silent) return
  const ack = { class: 'call', id, from: to, type: said.tag }
  try {
    if (fault.refused !== undefined) throw new Refusal(fault.refused)
    connection.socket.send(stanza('ack', ack, answer(network, number, device, said)))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    connection.socket.send(stanza('ack', { ...ack, error: String(error.code) }))
  }
}

function answer(network: Network, number: string, device: number, said: Stanza): Stanza[] {
  switch (said.tag) {
    case 'reject': {
      const call = network.calls.find(said.attrs['call-id'] ?? '')
      if (call?.to !== number) throw new Refusal(404)
      // A call that has ended meanwhile is rejected in vain, and that is no mistake.
      if (mayBecome(call, 'reject')) rejectFrom(network, call, device)
      return []
    }
    case 'link_create': {
      const { media } = said.attrs
      if (media !== 'audio' && media !== 'video') throw new Refusal(400)
      return [stanza('link_create', { media, token: randomBytes(16).toString('base64url') })]
    }
    default:
      // Voices are beyond this network.
      throw new Refusal(501)
  }
}
