// Notifies a message's sender that it was delivered, read or played.
import { stanza } from '../../codec/stanza.ts'
import type { Account } from '../../store/accounts.ts'
import { addressOf, isSharedChatId } from '../address.ts'
import { deliverToAll } from '../delivery.ts'
import type { Network } from '../network.ts'
import { seconds } from '../stamps.ts'
import { isReader } from './chats.ts'

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
    if (message === undefined || !isReader(network, message, reader)) continue
    const by = addressOf(reader, message.form, device)
    const attrs = {
      ...(isSharedChatId(message.chat) ? { from: message.chat, participant: by } : { from: by }),
      id,
      t: seconds(),
      type: type === 'delivered' ? undefined : type,
    }
    deliverToAll(network, sender.number, stanza('receipt', attrs))
  }
}
