// Delivers a message to a companion; a fault may damage it or deliver it twice.
import type { Stanza } from '../codec/stanza.ts'
import { isGroupJid } from '../network/address.ts'
import { deliverStanza } from '../network/deliver-stanza.ts'
import type { Network } from '../network/simulated-network.ts'

/** From the end: in every kind of message this byte is under a MAC or a signature. */
const AUTHENTICATED_OFFSET = 10

export function deliverMessage(network: Network, number: string, device: number, message: Stanza) {
  const group = isGroupJid(message.attrs.from) ? message.attrs.from : undefined
  const subject = { number, group }
  const delivered = network.faults.consumeFault('garble', subject) ? corruptMessage(message) : message
  deliverStanza(network, number, device, delivered)
  if (network.faults.consumeFault('duplicate', subject)) deliverStanza(network, number, device, delivered)
}

function corruptMessage(message: Stanza): Stanza {
  if (!Array.isArray(message.content)) return message
  const content = message.content.map((part) => {
    if (part.tag !== 'enc' || !(part.content instanceof Uint8Array)) return part
    const corrupted = Buffer.from(part.content)
    const position = Math.max(0, corrupted.length - AUTHENTICATED_OFFSET)
    corrupted.writeUInt8(corrupted.readUInt8(position) ^ 1, position)
    return { ...part, content: corrupted }
  })
  return { ...message, content }
}
