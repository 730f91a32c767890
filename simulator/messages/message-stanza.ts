// Builds a message stanza for a device: its sender, its chat, and the form of address.
import { buildStanza, type Stanza } from '../codec/stanza.ts'
import { formatAddress } from '../network/address.ts'
import { type ChatTarget, isSharedChat } from '../network/message-chats.ts'
import { formatSeconds } from '../network/stanza-ids.ts'
import type { Account } from '../store/account-table.ts'
import type { AddressForm } from '../store/message-table.ts'

export type Envelope = {
  id: string
  sender: Account
  device: number
  /** The recipient. */
  chat: ChatTarget
  /** The owner of the device that gets this copy: a member of the chat, or the sender. */
  to: Account
  form: AddressForm
  type: string
  sentAt: number
  /** Marks changes of earlier messages. */
  edit?: string | undefined
}

export function buildMessageStanza(envelope: Envelope, content: Stanza[]): Stanza {
  const { id, sender, form, type, sentAt, edit } = envelope
  return buildStanza(
    'message',
    {
      id,
      type,
      t: formatSeconds(sentAt),
      notify: sender.name,
      addressing_mode: form,
      edit,
      ...buildAddressAttrs(envelope),
    },
    content,
  )
}

function buildAddressAttrs({ sender, device, chat, to, form }: Envelope) {
  const other = form === 'pn' ? 'lid' : 'pn'
  const from = formatAddress(sender, form, device)
  if (isSharedChat(chat)) {
    return {
      from: chat.jid,
      participant: from,
      [`participant_${other}`]: formatAddress(sender, other),
      participant_username: sender.username || undefined,
    }
  }
  if (to.number !== sender.number)
    return {
      from,
      [`sender_${other}`]: formatAddress(sender, other),
      username: sender.username || undefined,
    }
  // A copy for the sender's own devices names the chat, and the other address is the chat's then.
  return {
    from,
    recipient: formatAddress(chat, form),
    [`peer_recipient_${other}`]: formatAddress(chat, other),
    peer_recipient_username: chat.username || undefined,
  }
}
