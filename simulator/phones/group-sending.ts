// Sends a phone's message to a group: encrypted once, with the phone's key for the devices that lack it.
import { proto } from '../codec/protobuf.ts'
import { deliverMessage } from '../network/messages/message-delivery.ts'
import { messageStanza } from '../network/messages/message-stanza.ts'
import { passOn } from '../network/messages/receipt-delivery.ts'
import type { Network } from '../network/network.ts'
import { freshMessageId } from '../network/stamps.ts'
import type { Account } from '../store/accounts.ts'
import type { Group } from '../store/groups.ts'
import { encryptFor } from './ciphers.ts'
import { encryptForGroup, ownSenderKey } from './group-ciphers.ts'
import { keepInInbox } from './receiving.ts'
import type { SendRequest } from './send-request.ts'
import { peerName } from './signal-storage.ts'

export async function sendToGroup(network: Network, request: SendRequest & { to: Group }): Promise<string> {
  const { from, to: group, message, type, edit } = request
  const { store } = network
  const { id = freshMessageId() } = request
  const sentAt = Date.now()
  const content = Buffer.from(proto.Message.encode(message).finish())
  const { form, jid } = group
  store.messages.add({ id, sender: from.number, device: 0, chat: jid, form, content, sentAt })
  const receivers = store.groups
    .members(jid)
    .map(({ number }) => store.accounts.find(number))
    .filter((account) => account !== undefined)
  const keys = new Map<string, Awaited<ReturnType<typeof keyFor>>>()
  for (const account of receivers) {
    for (const { device } of store.companions.of(account.number)) {
      keys.set(`${account.number}.${device}`, await keyFor(network, from, group, account, device))
    }
  }
  // After the keys: they are to open this message and all that follow.
  const shared = encryptForGroup(network, from, group, content)
  for (const account of receivers) {
    for (const { device } of store.companions.of(account.number)) {
      const key = keys.get(`${account.number}.${device}`)
      const envelope = { id, sender: from, device: 0, chat: group, to: account, form, type, sentAt, edit }
      const stanza = messageStanza(envelope, key === undefined ? [shared] : [key, shared])
      deliverMessage(network, account.number, device, stanza)
    }
    if (account.number === from.number) continue
    await keepInInbox(network, account, { id, sender: from, chat: group, sentAt }, message)
    if (account.autoReceipt) passOn(network, account, 0, from, [id], 'delivered')
  }
  return id
}

/** The phone's sender key, encrypted for a device that does not have it yet. */
async function keyFor(network: Network, phone: Account, group: Group, account: Account, device: number) {
  const peer = peerName({ number: account.number, device })
  const { senderKeys } = network.store
  if (senderKeys.isGiven(phone.number, group.jid, peer)) return undefined
  const key = proto.Message.encode(ownSenderKey(network, phone, group)).finish()
  const enc = await encryptFor(network, phone, { account, device }, key)
  if (enc !== undefined) senderKeys.give(phone.number, group.jid, peer)
  return enc
}
