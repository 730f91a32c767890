// How a message's sender hears that it arrived, was read or was played.
import { stanza } from '../codec/stanza.ts'
import type { Account } from '../store/accounts.ts'
import { addressOf } from './address.ts'
import { deliverToAll } from './delivery.ts'
import type { Network } from './network.ts'
import { seconds } from './stamps.ts'

/** To all companions of the sender, whichever of its devices wrote the message. */
export function passOn(
  network: Network,
  reader: Account,
  device: number,
  sender: Account,
  ids: string[],
  type: string,
) {
  for (const id of ids) {
    const message = network.store.messages.find(id, sender.number)
    if (message?.chat !== reader.number) continue
    const attrs = {
      from: addressOf(reader, message.form, device),
      id,
      t: seconds(),
      type: type === 'delivered' ? undefined : type,
    }
    deliverToAll(network, sender.number, stanza('receipt', attrs))
  }
}
