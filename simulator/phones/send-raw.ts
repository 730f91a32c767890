// Sends bytes of the caller's choice as a message of a phone: anything that another program could encrypt.
import { deliverMessage } from '../messages/deliver-message.ts'
import { buildMessageStanza } from '../messages/message-stanza.ts'
import type { Network } from '../network/simulated-network.ts'
import { createMessageId } from '../network/stanza-ids.ts'
import type { Account } from '../store/account-table.ts'
import type { AddressForm } from '../store/message-table.ts'
import { encryptFor } from './phone-ciphers.ts'

export type RawMessage = {
  from: Account
  to: Account
  form: AddressForm
  /** In place of an encoded message. */
  bytes: Uint8Array
  id?: string | undefined
}

/** Only the recipient's companions get them: the network and its phones do not read them. */
export async function sendRaw(network: Network, raw: RawMessage): Promise<string> {
  const { from, to, form, bytes, id = createMessageId() } = raw
  const sentAt = Date.now()
  const about = { id, sender: from.number, device: 0, chat: to.number, form, sentAt }
  network.store.messages.add({ ...about, content: undefined })
  for (const { device } of network.store.companions.listByNumber(to.number)) {
    const enc = await encryptFor(network, from, { account: to, device }, bytes)
    if (enc === undefined) continue
    const envelope = { id, sender: from, device: 0, chat: to, to, form, type: 'text', sentAt }
    deliverMessage(network, to.number, device, buildMessageStanza(envelope, [enc]))
  }
  return id
}
