// Builds a message stanza for a device: its sender, its chat, and the form of address.
import { type Stanza, stanza } from '../../codec/stanza.ts'
import type { Account } from '../../store/accounts.ts'
import type { Form } from '../../store/messages.ts'
import { addressOf } from '../address.ts'
import { seconds } from '../stamps.ts'
import { isSharedChat, type Place } from './chats.ts'

export type Envelope = {
  id: string
  sender: Account
  device: number
  /** The recipient. */
  chat: Place
  /** The owner of the device that gets this copy: a member of the chat, or the sender. */
  to: Account
  form: Form
  type: string
  sentAt: number
  /** Marks changes of earlier messages. */
  edit?: string | undefined
}

export function messageStanza(envelope: Envelope, content: Stanza[]): Stanza {
  const { id, sender, form, type, sentAt, edit } = envelope
  return stanza(
    'message',
    {
      id,
      type,
      t: seconds(sentAt),
      notify: sender.name,
      addressing_mode: form,
      edit,
      ...whereabouts(envelope),
    },
    content,
  )
}

function whereabouts({ sender, device, chat, to, form }: Envelope) {
  const other = form === 'pn' ? 'lid' : 'pn'
  const from = addressOf(sender, form, device)
  if (isSharedChat(chat)) {
    return { from: chat.jid, participant: from, [`participant_${other}`]: addressOf(sender, other) }
  }
  if (to.number !== sender.number) return { from, [`sender_${other}`]: addressOf(sender, other) }
  // A copy for the sender's own devices names the chat, and the other address is the chat's then.
  return { from, recipient: addressOf(chat, form), [`peer_recipient_${other}`]: addressOf(chat, other) }
}
