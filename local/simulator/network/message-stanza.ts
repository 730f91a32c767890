// A message as a device receives it: who sent it, in which chat, under which of the two addresses.
import { type Stanza, stanza } from '../codec/stanza.ts'
import type { Account } from '../store/accounts.ts'
import type { Form } from '../store/messages.ts'
import { addressOf } from './address.ts'
import { seconds } from './stamps.ts'

export type Envelope = {
  id: string
  sender: Account
  device: number
  /** Whom it was sent to. */
  chat: Account
  /** Whose device this copy is for: the addressee's, or another of the sender's. */
  to: Account
  form: Form
  type: string
  sentAt: number
  /** Marks changes of earlier messages. */
  edit?: string | undefined
}

export function messageStanza(envelope: Envelope, content: Stanza[]): Stanza {
  const { id, sender, device, chat, to, form, type, sentAt, edit } = envelope
  const other = form === 'pn' ? 'lid' : 'pn'
  // A copy for the sender's own devices names the chat, and the other address is the chat's then.
  const ownCopy = to.number === sender.number
  const context = ownCopy
    ? { recipient: addressOf(chat, form), [`peer_recipient_${other}`]: addressOf(chat, other) }
    : { [`sender_${other}`]: addressOf(sender, other) }
  return stanza(
    'message',
    {
      id,
      from: addressOf(sender, form, device),
      type,
      t: seconds(sentAt),
      notify: sender.name,
      addressing_mode: form,
      edit,
      ...context,
    },
    content,
  )
}
