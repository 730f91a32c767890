// Receives on a phone a message that a companion encrypted for it.
import { proto } from '../codec/protobuf.ts'
import { buildStanza, type Stanza } from '../codec/stanza.ts'
import { deliverReceipt } from '../messages/deliver-receipt.ts'
import { formatAddress, toNeutralId } from '../network/address.ts'
import { deliverStanza } from '../network/deliver-stanza.ts'
import { buildRegistrationNode } from '../network/key-nodes.ts'
import { type ChatTarget, getChatName, isSharedChat } from '../network/message-chats.ts'
import type { Network } from '../network/simulated-network.ts'
import { formatSeconds } from '../network/stanza-ids.ts'
import type { Account } from '../store/account-table.ts'
import type { AddressForm } from '../store/message-table.ts'
import { verifyAttachment, verifyMenuPictures } from './attachments.ts'
import { storeForm } from './choose-form.ts'
import { describeContent, describeContext, findPoll } from './describe-content.ts'
import { decryptFromGroup, storeSenderKey } from './group-ciphers.ts'
import { decryptFrom } from './phone-ciphers.ts'
import { sendRequestedPast } from './phone-past.ts'
import { asksAgain } from './reinstall-phone.ts'
import { sendAgain } from './resend-to-companion.ts'
import { readSecret } from './seal-change.ts'

export type Incoming = {
  id: string
  sender: Account
  device: number
  chat: ChatTarget
  form: AddressForm
  sentAt: number
  /** In a group the sender's key may precede the message in the same stanza. */
  encrypted: Stanza[]
  /** Marked as a native flow: phones show no unmarked one. */
  flow: boolean
}

export async function receiveAtPhone(network: Network, phone: Account, incoming: Incoming) {
  const { id, sender, chat } = incoming
  let message: proto.IMessage
  try {
    message = await decryptMessage(network, phone, incoming)
  } catch {
    return requestRetry(network, phone, incoming)
  }
  const own = sender.number === phone.number
  const request = message.protocolMessage?.peerDataOperationRequestMessage
  if (own && request) return handleRequest(network, phone, incoming, request)
  const shownIn = own || isSharedChat(chat) ? chat : sender
  const isHidden = Boolean(message.interactiveMessage) && !incoming.flow
  if (!isHidden) await storeInInbox(network, phone, { ...incoming, chat: shownIn }, message)
  if (!own && phone.autoReceipt) deliverReceipt(network, phone, 0, sender, [id], 'delivered')
}

/** Of a companion, for what the phone has stored. */
function handleRequest(
  network: Network,
  phone: Account,
  { id, device }: Incoming,
  {
    historySyncOnDemandRequest: past,
    placeholderMessageResendRequest: lost,
  }: proto.Message.IPeerDataOperationRequestMessage,
): Promise<void> | null | undefined {
  if (past) return sendRequestedPast(network, phone, device, past)
  return lost && sendAgain(network, phone, { device, request: id, lost })
}

async function decryptMessage(network: Network, phone: Account, incoming: Incoming): Promise<proto.IMessage> {
  const { sender, device, chat, encrypted } = incoming
  const peer = { number: sender.number, device }
  const read: proto.IMessage = {}
  for (const enc of encrypted) {
    const plain =
      enc.attrs.type === 'skmsg'
        ? decryptFromGroup(network, phone, getChatName(chat), peer, enc)
        : await decryptFrom(network, phone, peer, enc)
    const message = proto.Message.decode(plain)
    const inner = message.deviceSentMessage?.message ?? message
    const key = inner.senderKeyDistributionMessage
    if (key && isSharedChat(chat)) storeSenderKey(network, phone, chat, peer, key)
    if (enc.attrs.type === 'pkmsg' && isSharedChat(chat)) storeForm(network, phone, sender, incoming.form)
    Object.assign(read, inner)
  }
  return read
}

/** Characters: storing 10 million of them as JSON would block the whole network for half a second. */
const MAX_CHARACTERS = 500_000

type InboxMessage = { id: string; sender: Account; chat: ChatTarget; sentAt: number }

export async function storeInInbox(
  network: Network,
  phone: Account,
  stored: InboxMessage,
  message: proto.IMessage,
) {
  const content = describeContent(message)
  if (content === undefined) return
  const poll = findPoll(message)
  if (poll !== undefined) network.store.polls.add(stored.id, stored.sender.number, poll)
  const { text, caption } = content
  const shown = {
    id: stored.id,
    from: toNeutralId(stored.sender.number),
    chat: getChatName(stored.chat),
    ...content,
    text: text.slice(0, MAX_CHARACTERS),
    ...(caption && { caption: caption.slice(0, MAX_CHARACTERS) }),
    ...describeContext(message, phone, stored.chat),
    ...(await verifyAttachment(network, message)),
    ...(await verifyMenuPictures(network, message)),
    timestamp: stored.sentAt,
  }
  network.store.inbox.add(phone.number, stored.sender.number, stored.id, shown, readSecret(message))
}

/** The sender's device begins a new session with the phone and sends the message again. */
function requestRetry(network: Network, phone: Account, incoming: Incoming) {
  if (!asksAgain(network, phone)) return
  const { id, sender, device, sentAt } = incoming
  const t = formatSeconds(sentAt)
  const request = buildStanza('receipt', { id, t, type: 'retry', ...buildAddressAttrs(phone, incoming) }, [
    buildStanza('retry', { count: '1', id, t, v: '1' }),
    buildRegistrationNode(phone.registration),
  ])
  deliverStanza(network, sender.number, device, request)
}

function buildAddressAttrs(phone: Account, { sender, chat, form }: Incoming) {
  if (isSharedChat(chat)) return { from: chat.jid, participant: formatAddress(phone, form) }
  const own = sender.number === phone.number
  return { from: formatAddress(phone, form), recipient: own ? formatAddress(chat, form) : undefined }
}
