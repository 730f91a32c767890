// What a phone does with a message that a companion encrypted for it.
import { proto } from '../codec/protobuf.ts'
import { type Stanza, stanza } from '../codec/stanza.ts'
import { addressOf, neutralId } from '../network/address.ts'
import { deliver } from '../network/delivery.ts'
import { registrationNode } from '../network/key-nodes.ts'
import type { Network } from '../network/network.ts'
import { passOn } from '../network/receipt-delivery.ts'
import { seconds } from '../network/stamps.ts'
import type { Account } from '../store/accounts.ts'
import type { Form } from '../store/messages.ts'
import { decryptFrom } from './ciphers.ts'
import { describe } from './content.ts'

export type Incoming = {
  id: string
  sender: Account
  device: number
  chat: Account
  form: Form
  sentAt: number
  enc: Stanza
}

export async function receiveAtPhone(network: Network, phone: Account, incoming: Incoming) {
  const { id, sender, device, chat } = incoming
  let message: proto.IMessage
  try {
    const plain = await decryptFrom(network, phone, { number: sender.number, device }, incoming.enc)
    message = proto.Message.decode(plain)
  } catch {
    return askAgain(network, phone, incoming)
  }
  const own = sender.number === phone.number
  keepInInbox(network, phone, { ...incoming, chat: own ? chat : sender }, message)
  if (!own && phone.autoReceipt) passOn(network, phone, 0, sender, [id], 'delivered')
}

type Kept = { id: string; sender: Account; chat: Account; sentAt: number }

export function keepInInbox(network: Network, phone: Account, kept: Kept, message: proto.IMessage) {
  const content = describe(message.deviceSentMessage?.message ?? message)
  if (content === undefined) return
  network.store.inbox.add(phone.number, kept.sender.number, kept.id, {
    id: kept.id,
    from: neutralId(kept.sender.number),
    chat: neutralId(kept.chat.number),
    ...content,
    timestamp: kept.sentAt,
  })
}

/** The sender's device begins a new session with the phone and sends the message again. */
function askAgain(network: Network, phone: Account, { id, sender, device, chat, form, sentAt }: Incoming) {
  const t = seconds(sentAt)
  const own = sender.number === phone.number
  const attrs = {
    from: addressOf(phone, form),
    id,
    t,
    type: 'retry',
    recipient: own ? addressOf(chat, form) : undefined,
  }
  const asked = stanza('receipt', attrs, [
    stanza('retry', { count: '1', id, t, v: '1' }),
    registrationNode(phone.registration),
  ])
  deliver(network, sender.number, device, asked)
}
