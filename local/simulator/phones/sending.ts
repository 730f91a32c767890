// A phone's message: encrypted for every companion of both sides, and put into the other phone's inbox.
import { randomBytes } from 'node:crypto'
import { proto } from '../codec/protobuf.ts'
import { addressOf } from '../network/address.ts'
import { deliver } from '../network/delivery.ts'
import { messageStanza } from '../network/message-stanza.ts'
import type { Network } from '../network/network.ts'
import { passOn } from '../network/receipt-delivery.ts'
import type { Account } from '../store/accounts.ts'
import type { Form } from '../store/messages.ts'
import { encryptFor } from './ciphers.ts'
import { keepInInbox } from './receiving.ts'

export type Outgoing = {
  from: Account
  to: Account
  form: Form
  message: proto.IMessage
  type: 'text' | 'reaction'
  edit?: string | undefined
}

export async function sendFromPhone(network: Network, outgoing: Outgoing): Promise<string> {
  const { from, to, form, message } = outgoing
  const id = randomBytes(16).toString('hex').toUpperCase()
  const sentAt = Date.now()
  const content = Buffer.from(proto.Message.encode(message).finish())
  network.store.messages.add({ id, sender: from.number, device: 0, chat: to.number, form, content, sentAt })
  if (to.number !== from.number) keepInInbox(network, to, { id, sender: from, chat: from, sentAt }, message)
  const receivers = new Set([to, from])
  for (const account of receivers) {
    for (const { device } of network.store.companions.of(account.number)) {
      await sendCopy(network, { ...outgoing, id, sentAt, content, account, device })
    }
  }
  if (to.number !== from.number && to.autoReceipt) passOn(network, to, 0, from, [id], 'delivered')
  return id
}

type Copy = Omit<Outgoing, 'message'> & {
  id: string
  sentAt: number
  content: Buffer
  account: Account
  device: number
  /** Which attempt it is, when the device asked again. */
  count?: number
}

export async function sendCopy(network: Network, copy: Copy) {
  const { from, to, form, account, device, count } = copy
  const enc = await encryptFor(network, from, { account, device }, contentFor(copy))
  if (enc === undefined) return
  if (count !== undefined) enc.attrs.count = String(count)
  const envelope = { ...copy, sender: from, chat: to, to: account, form, device: 0 }
  deliver(network, account.number, device, messageStanza(envelope, [enc]))
}

/** The account's own devices are told where the message went. */
function contentFor({ from, to, form, account, content }: Copy): Uint8Array {
  if (account.number !== from.number) return content
  const deviceSentMessage = { destinationJid: addressOf(to, form), message: proto.Message.decode(content) }
  return proto.Message.encode({ deviceSentMessage }).finish()
}
