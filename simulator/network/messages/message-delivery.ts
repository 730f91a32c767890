// Delivers a message to a companion; a fault may damage it or deliver it twice.
import type { Stanza } from '../../codec/stanza.ts'
import { isGroup } from '../address.ts'
import { deliver } from '../delivery.ts'
import type { Network } from '../network.ts'

/** From the end: in every kind of message this byte is under a MAC or a signature. */
const SEALED = 10

export function deliverMessage(network: Network, number: string, device: number, message: Stanza) {
  const group = isGroup(message.attrs.from) ? message.attrs.from : undefined
  const subject = { number, group }
  const delivered = network.faults.strikes('garble', subject) ? garbled(message) : message
  deliver(network, number, device, delivered)
  if (network.faults.strikes('duplicate', subject)) deliver(network, number, device, delivered)
}

function garbled(message: Stanza): Stanza {
  if (!Array.isArray(message.content)) return message
  const content = message.content.map((part) => {
    if (part.tag !== 'enc' || !(part.content instanceof Uint8Array)) return part
    const spoiled = Buffer.from(part.content)
    const place = Math.max(0, spoiled.length - SEALED)
    spoiled.writeUInt8(spoiled.readUInt8(place) ^ 1, place)
    return { ...part, content: spoiled }
  })
  return { ...message, content }
}
