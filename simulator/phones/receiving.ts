// Receives on a phone a message that a companion encrypted for it.
import { proto } from '../codec/protobuf.ts'
import { type Stanza, stanza } from '../codec/stanza.ts'
import { addressOf, neutralId } from '../network/address.ts'
import { deliver } from '../network/delivery.ts'
import { registrationNode } from '../network/key-nodes.ts'
import { chatName, isSharedChat, type Place } from '../network/messages/chats.ts'
import { passOn } from '../network/messages/receipt-delivery.ts'
import type { Network } from '../network/network.ts'
import { seconds } from '../network/stamps.ts'
import type { Account } from '../store/accounts.ts'
import type { Form } from '../store/messages.ts'
import { fetched } from './attachments.ts'
import { decryptFrom } from './ciphers.ts'
import { describe, pollIn, sayingOf } from './content.ts'
import { acceptSenderKey, decryptFromGroup } from './group-ciphers.ts'
import { rememberForm } from './identities.ts'

export type Incoming = {
  id: string
  sender: Account
  device: number
  chat: Place
  form: Form
  sentAt: number
  /** In a group the sender's key may precede the message in the same stanza. */
  encrypted: Stanza[]
}

export async function receiveAtPhone(network: Network, phone: Account, incoming: Incoming) {
  const { id, sender, chat } = incoming
  let message: proto.IMessage
  try {
    message = await decrypt(network, phone, incoming)
  } catch {
    return askAgain(network, phone, incoming)
  }
  const own = sender.number === phone.number
  const shownIn = own || isSharedChat(chat) ? chat : sender
  await keepInInbox(network, phone, { ...incoming, chat: shownIn }, message)
  if (!own && phone.autoReceipt) passOn(network, phone, 0, sender, [id], 'delivered')
}

async function decrypt(network: Network, phone: Account, incoming: Incoming): Promise<proto.IMessage> {
  const { sender, device, chat, encrypted } = incoming
  const peer = { number: sender.number, device }
  const read: proto.IMessage = {}
  for (const enc of encrypted) {
    const plain =
      enc.attrs.type === 'skmsg'
        ? decryptFromGroup(network, phone, chatName(chat), peer, enc)
        : await decryptFrom(network, phone, peer, enc)
    const message = proto.Message.decode(plain)
    const said = message.deviceSentMessage?.message ?? message
    const key = said.senderKeyDistributionMessage
    if (key && isSharedChat(chat)) acceptSenderKey(network, phone, chat, peer, key)
    if (enc.attrs.type === 'pkmsg' && isSharedChat(chat)) rememberForm(network, phone, sender, incoming.form)
    Object.assign(read, said)
  }
  return read
}

/** Characters: to keep 10 million of them as JSON would stop the whole network for half a second. */
const MOST_SHOWN = 500_000

type Kept = { id: string; sender: Account; chat: Place; sentAt: number }

export async function keepInInbox(network: Network, phone: Account, kept: Kept, message: proto.IMessage) {
  const content = describe(message)
  if (content === undefined) return
  const poll = pollIn(message)
  if (poll !== undefined) network.store.polls.add(kept.id, kept.sender.number, poll)
  const { text, caption } = content
  network.store.inbox.add(phone.number, kept.sender.number, kept.id, {
    id: kept.id,
    from: neutralId(kept.sender.number),
    chat: chatName(kept.chat),
    ...content,
    text: text.slice(0, MOST_SHOWN),
    ...(caption && { caption: caption.slice(0, MOST_SHOWN) }),
    ...sayingOf(message),
    ...(await fetched(network, message)),
    timestamp: kept.sentAt,
  })
}

/** The sender's device begins a new session with the phone and sends the message again. */
function askAgain(network: Network, phone: Account, incoming: Incoming) {
  const { id, sender, device, sentAt } = incoming
  const t = seconds(sentAt)
  const asked = stanza('receipt', { id, t, type: 'retry', ...whereabouts(phone, incoming) }, [
    stanza('retry', { count: '1', id, t, v: '1' }),
    registrationNode(phone.registration),
  ])
  deliver(network, sender.number, device, asked)
}

function whereabouts(phone: Account, { sender, chat, form }: Incoming) {
  if (isSharedChat(chat)) return { from: chat.jid, participant: addressOf(phone, form) }
  const own = sender.number === phone.number
  return { from: addressOf(phone, form), recipient: own ? addressOf(chat, form) : undefined }
}
