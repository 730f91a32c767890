// Notifies a message's sender that it was delivered, read or played.
import { buildStanza } from '../codec/stanza.ts'
import { formatAddress, isSharedChatJid } from '../network/address.ts'
import { deliverToAll } from '../network/deliver-stanza.ts'
import { isReader } from '../network/message-chats.ts'
import type { Network } from '../network/simulated-network.ts'
import { formatSeconds } from '../network/stanza-ids.ts'
import type { Account } from '../store/account-table.ts'

/** To all companions of the sender, whichever of its devices wrote the message. */
export function deliverReceipt(
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
    const by = formatAddress(reader, message.form, device)
    const attrs = {
      ...(isSharedChatJid(message.chat) ? { from: message.chat, participant: by } : { from: by }),
      id,
      t: formatSeconds(),
      type: type === 'delivered' ? undefined : type,
    }
    deliverToAll(network, sender.number, buildStanza('receipt', attrs))
  }
}
