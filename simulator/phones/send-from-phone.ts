// Sends a phone's message to a person: encrypted for every companion of both sides, and put into the other phone's inbox.
import { proto } from '../codec/protobuf.ts'
import { asBuffer, buildStanza } from '../codec/stanza.ts'
import { deliverMessage } from '../messages/deliver-message.ts'
import { deliverReceipt } from '../messages/deliver-receipt.ts'
import { buildMessageStanza } from '../messages/message-stanza.ts'
import { formatAddress } from '../network/address.ts'
import { isGroupChat } from '../network/message-chats.ts'
import type { Network } from '../network/simulated-network.ts'
import { createMessageId, formatSeconds } from '../network/stanza-ids.ts'
import { issueToken } from '../people/privacy-tokens.ts'
import type { Account } from '../store/account-table.ts'
import { encryptFor } from './phone-ciphers.ts'
import { storeInInbox } from './receive-at-phone.ts'
import type { SendRequest } from './send-request.ts'
import { sendToGroup } from './send-to-group.ts'

export async function sendFromPhone(network: Network, request: SendRequest): Promise<string> {
  const { from, to, form, message } = request
  if (isGroupChat(to)) return sendToGroup(network, { ...request, to })
  const { id = createMessageId(), sentAt = Date.now() } = request
  const content = asBuffer(proto.Message.encode(message).finish())
  const isFirst = !network.store.messages.hasWrittenTo(from.number, to.number)
  network.store.messages.add({ id, sender: from.number, device: 0, chat: to.number, form, content, sentAt })
  // Messages of a blocked sender are dropped without notice.
  const blocked = network.store.privacy.hasBlocked(to.number, from.number)
  const other = to.number !== from.number && !blocked
  if (other)
    await storeInInbox(network, to, { id, sender: from, chat: from, sentAt }, request.shown ?? message)
  const receivers = request.held ? [] : new Set(blocked ? [from] : [to, from])
  for (const account of receivers) {
    for (const { device } of network.store.companions.listByNumber(account.number)) {
      await sendCopy(network, { ...request, to, id, sentAt, content, account, device })
    }
  }
  // Phones do it once a week; the first message stands for that.
  if (other && isFirst) issueToken(network, from, to, formatSeconds())
  if (other && to.autoReceipt) deliverReceipt(network, to, 0, from, [id], 'delivered')
  return id
}

export type Copy = Omit<SendRequest, 'message' | 'id'> & {
  id: string
  sentAt: number
  content: Uint8Array
  account: Account
  device: number
  /** The number of the attempt, if the device requested the message again. */
  count?: number
}

export async function sendCopy(network: Network, copy: Copy) {
  const { from, to, form, account, device, count, viewOnce } = copy
  const envelope = { ...copy, sender: from, chat: to, to: account, form, device: 0 }
  if (viewOnce && account.number !== from.number) {
    const notice = buildStanza('unavailable', { type: 'view_once' })
    return deliverMessage(network, account.number, device, buildMessageStanza(envelope, [notice]))
  }
  const enc = await encryptFor(network, from, { account, device }, buildContent(copy))
  if (enc === undefined) return
  if (count !== undefined) enc.attrs.count = String(count)
  deliverMessage(network, account.number, device, buildMessageStanza(envelope, [enc]))
}

/** In a chat of two, the copies for the account's own devices name the recipient. */
function buildContent({ from, to, form, account, content }: Copy): Uint8Array {
  if (isGroupChat(to) || account.number !== from.number) return content
  const deviceSentMessage = {
    destinationJid: formatAddress(to, form),
    message: proto.Message.decode(content),
  }
  return proto.Message.encode({ deviceSentMessage }).finish()
}
