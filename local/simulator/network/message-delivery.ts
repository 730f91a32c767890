// How a message reaches a companion, when the network may spoil it or bring it twice.
import type { Stanza } from '../codec/stanza.ts'
import { isGroup } from './address.ts'
import { deliver } from './delivery.ts'
import type { Network } from './network.ts'

export function deliverMessage(network: Network, number: string, device: number, message: Stanza) {
  const group = isGroup(message.attrs.from) ? message.attrs.from : undefined
  const subject = { number, group }
  const delivered = network.faults.strikes('garble', subject) ? garbled(message) : message
  deliver(network, number, device, delivered)
  if (network.faults.strikes('duplicate', subject)) deliver(network, number, device, delivered)
}

/** The last byte belongs to a MAC or a signature: nothing of this opens any more. */
function garbled(message: Stanza): Stanza {
  if (!Array.isArray(message.content)) return message
  const content = message.content.map((part) => {
    if (part.tag !== 'enc' || !(part.content instanceof Uint8Array)) return part
    const spoiled = Buffer.from(part.content)
    const last = spoiled.length - 1
    spoiled.writeUInt8(spoiled.readUInt8(last) ^ 1, last)
    return { ...part, content: spoiled }
  })
  return { ...message, content }
}
