// A companion's receipts: they remove the message from its queue, and are delivered to the message's sender.
import { buildStanza, listChildren, type Stanza } from '../codec/stanza.ts'
import { deliverReceipt } from '../messages/deliver-receipt.ts'
import { findAccount, formatAddress, isSharedChatJid, parseAddress, toNeutralId } from '../network/address.ts'
import { sendMoreBacklog } from '../network/backlog.ts'
import { type Connection, getDeviceId } from '../network/connections.ts'
import { deliverStanza } from '../network/deliver-stanza.ts'
import type { Network } from '../network/simulated-network.ts'
import { buildStreamError } from '../network/stream-errors.ts'
import { respondToMediaRetry } from '../phones/media-retries.ts'
import { resendMessage } from '../phones/resend-message.ts'
import type { Account } from '../store/account-table.ts'

/** The kinds that are delivered to the sender; the others concern the account itself. */
const DELIVERED_TO_SENDER = new Set(['delivered', 'read', 'played'])
const BETWEEN_DEVICES = ['peer_msg', 'hist_sync']
/** A device that is not in use marks its receipt; for the sender it is a delivery too. */
const RECEIPT_TYPES: Record<string, string> = { inactive: 'delivered', '': 'delivered' }

export async function receiveReceipt(network: Network, connection: Connection, receipt: Stanza) {
  const { number, device } = getDeviceId(connection)
  const { id, to, type = '', participant, recipient } = receipt.attrs
  const reader = number === null ? undefined : network.store.accounts.find(number)
  if (!reader || device === null || !id || !to) {
    connection.socket.endWith(buildStreamError(400))
    return
  }
  connection.socket.send(
    buildStanza('ack', { class: 'receipt', id, from: to, type: receipt.attrs.type, participant }),
  )
  if (type === 'retry') return forwardRetry(network, reader, device, receipt)
  if (type === 'server-error') return respondToMediaRetry(network, reader, device, receipt)
  const ids = [
    id,
    ...listChildren(listChildren(receipt, 'list')[0], 'item').map((item) => item.attrs.id ?? ''),
  ]
  for (const one of ids) {
    network.store.queue.deleteStanza(reader.number, device, 'message', one)
    sendMoreBacklog(network, reader.number, device)
  }
  const receiptType = RECEIPT_TYPES[type] ?? type
  network.log.addEntry(
    { number, device },
    { what: 'receipt', ids, type: receiptType, form: parseAddress(to)?.form },
  )
  // In a group the chat and the sender of a message have different addresses.
  const sender = findAccount(
    network.store,
    parseAddress(isSharedChatJid(to) ? participant : (recipient ?? to)),
  )
  if (sender === undefined) return
  // Receipts between an account's own devices do not mean that a person has read the message.
  if (BETWEEN_DEVICES.includes(receiptType)) return
  const chat = isSharedChatJid(to) ? to : toNeutralId(sender.number)
  network.log.receipts.add({ number: reader.number, device, ids, chat, type: receiptType })
  if (DELIVERED_TO_SENDER.has(receiptType)) deliverReceipt(network, reader, device, sender, ids, receiptType)
}

async function forwardRetry(network: Network, reader: Account, device: number, receipt: Stanza) {
  const { id = '', to, participant } = receipt.attrs
  const count = Number(listChildren(receipt, 'retry')[0]?.attrs.count ?? '1')
  network.log.addEntry({ number: reader.number, device }, { what: 'retry', id, count })
  const group = isSharedChatJid(to) ? to : undefined
  const address = parseAddress(group === undefined ? to : participant)
  const sender = findAccount(network.store, address)
  if (address === undefined || sender === undefined) return
  if (address.device === 0) return resendMessage(network, sender, { reader, device, id, count, receipt })
  const by = formatAddress(reader, address.form, device)
  const { from: _, to: __, participant: ___, ...attrs } = receipt.attrs
  const whereabouts = group === undefined ? { from: by } : { from: group, participant: by }
  deliverStanza(network, sender.number, address.device, { ...receipt, attrs: { ...attrs, ...whereabouts } })
}
