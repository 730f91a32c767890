// Sends a phone's message to a group, or its status post to those who may see it: encrypted once, with the phone's key for the devices that lack it.
import { proto } from '../codec/protobuf.ts'
import { deliverMessage } from '../messages/deliver-message.ts'
import { deliverReceipt } from '../messages/deliver-receipt.ts'
import { buildMessageStanza } from '../messages/message-stanza.ts'
import { STATUS } from '../network/address.ts'
import type { SharedChat } from '../network/message-chats.ts'
import type { Network } from '../network/simulated-network.ts'
import { createMessageId } from '../network/stanza-ids.ts'
import type { Account } from '../store/account-table.ts'
import type { Group } from '../store/group-table.ts'
import { buildSenderKeyMessage, encryptForGroup } from './group-ciphers.ts'
import { encryptFor } from './phone-ciphers.ts'
import { storeInInbox } from './receive-at-phone.ts'
import type { SendRequest } from './send-request.ts'
import { formatPeer } from './signal-storage.ts'

export function sendToGroup(network: Network, request: SendRequest & { to: Group }): Promise<string> {
  const { store } = network
  const receivers = store.groups
    .listMembers(request.to.jid)
    .map(({ number }) => store.accounts.find(number))
    .filter((account) => account !== undefined)
  return sendToAll(network, request, receivers)
}

/** The phone's own companions get it too. */
export const postStatus = (
  network: Network,
  request: Omit<SendRequest, 'to'>,
  viewers: Account[],
): Promise<string> =>
  sendToAll(network, { ...request, to: { jid: STATUS, form: request.form } }, [request.from, ...viewers])

async function sendToAll(
  network: Network,
  request: Omit<SendRequest, 'to'> & { to: SharedChat },
  receivers: Account[],
): Promise<string> {
  const { from, to: group, message, type, edit, held } = request
  const { store } = network
  const { id = createMessageId(), sentAt = Date.now() } = request
  const content = Buffer.from(proto.Message.encode(message).finish())
  const { form, jid } = group
  store.messages.add({ id, sender: from.number, device: 0, chat: jid, form, content, sentAt })
  const keys = new Map<string, Awaited<ReturnType<typeof encryptSenderKey>>>()
  const listCompanions = (account: Account) => (held ? [] : store.companions.listByNumber(account.number))
  for (const account of receivers) {
    for (const { device } of listCompanions(account)) {
      keys.set(`${account.number}.${device}`, await encryptSenderKey(network, from, group, account, device))
    }
  }
  // After the keys: they are to open this message and all that follow.
  const shared = encryptForGroup(network, from, group, content)
  for (const account of receivers) {
    for (const { device } of listCompanions(account)) {
      const key = keys.get(`${account.number}.${device}`)
      const envelope = { id, sender: from, device: 0, chat: group, to: account, form, type, sentAt, edit }
      const stanza = buildMessageStanza(envelope, key === undefined ? [shared] : [key, shared])
      deliverMessage(network, account.number, device, stanza)
    }
    if (account.number === from.number) continue
    await storeInInbox(network, account, { id, sender: from, chat: group, sentAt }, request.shown ?? message)
    if (account.autoReceipt) deliverReceipt(network, account, 0, from, [id], 'delivered')
  }
  return id
}

/** The phone's sender key, encrypted for a device that does not have it yet. */
async function encryptSenderKey(
  network: Network,
  phone: Account,
  group: SharedChat,
  account: Account,
  device: number,
) {
  const peer = formatPeer({ number: account.number, device })
  const { senderKeys } = network.store
  if (senderKeys.isShared(phone.number, group.jid, peer)) return undefined
  const key = proto.Message.encode(buildSenderKeyMessage(network, phone, group)).finish()
  const enc = await encryptFor(network, phone, { account, device }, key)
  if (enc !== undefined) senderKeys.markShared(phone.number, group.jid, peer)
  return enc
}
