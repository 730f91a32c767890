// A companion's receipts: they remove the message from its queue, and are passed to the message's sender.
import { children, type Stanza, stanza } from '../../codec/stanza.ts'
import { answerMediaRetry } from '../../phones/media-retries.ts'
import { resend } from '../../phones/retries.ts'
import type { Account } from '../../store/accounts.ts'
import { accountAt, addressOf, isSharedChatId, neutralId, parseAddress } from '../address.ts'
import { sendMoreBacklog } from '../backlog.ts'
import { type Connection, whose } from '../connections.ts'
import { deliver } from '../delivery.ts'
import type { Network } from '../network.ts'
import { streamError } from '../stream-errors.ts'
import { passOn } from './receipt-delivery.ts'

/** The kinds that are passed to the sender; the others concern the account itself. */
const PASSED_ON = new Set(['delivered', 'read', 'played'])
const BETWEEN_DEVICES = ['peer_msg', 'hist_sync']
/** A device that is not in use marks its receipt; for the sender it is a delivery too. */
const SPOKEN: Record<string, string> = { inactive: 'delivered', '': 'delivered' }

export async function takeReceipt(network: Network, connection: Connection, receipt: Stanza) {
  const { number, device } = whose(connection)
  const { id, to, type = '', participant, recipient } = receipt.attrs
  const reader = number === null ? undefined : network.store.accounts.find(number)
  if (!reader || device === null || !id || !to) {
    connection.socket.end(streamError(400))
    return
  }
  connection.socket.send(
    stanza('ack', { class: 'receipt', id, from: to, type: receipt.attrs.type, participant }),
  )
  if (type === 'retry') return retry(network, reader, device, receipt)
  if (type === 'server-error') return answerMediaRetry(network, reader, device, receipt)
  const ids = [id, ...children(children(receipt, 'list')[0], 'item').map((item) => item.attrs.id ?? '')]
  for (const one of ids) {
    network.store.queue.settle(reader.number, device, 'message', one)
    sendMoreBacklog(network, reader.number, device)
  }
  const spoken = SPOKEN[type] ?? type
  network.log.saw({ number, device }, { what: 'receipt', ids, type: spoken, form: parseAddress(to)?.form })
  // In a group the chat and the sender of what is received are two.
  const sender = accountAt(network.store, parseAddress(isSharedChatId(to) ? participant : (recipient ?? to)))
  if (sender === undefined) return
  // Receipts between an account's own devices do not mean that a person has read the message.
  if (BETWEEN_DEVICES.includes(spoken)) return
  const chat = isSharedChatId(to) ? to : neutralId(sender.number)
  network.log.receipts.add({ number: reader.number, device, ids, chat, type: spoken })
  if (PASSED_ON.has(spoken)) passOn(network, reader, device, sender, ids, spoken)
}

async function retry(network: Network, reader: Account, device: number, receipt: Stanza) {
  const { id = '', to, participant } = receipt.attrs
  const count = Number(children(receipt, 'retry')[0]?.attrs.count ?? '1')
  network.log.saw({ number: reader.number, device }, { what: 'retry', id, count })
  const group = isSharedChatId(to) ? to : undefined
  const address = parseAddress(group === undefined ? to : participant)
  const sender = accountAt(network.store, address)
  if (address === undefined || sender === undefined) return
  if (address.device === 0) return resend(network, sender, { reader, device, id, count, receipt })
  const by = addressOf(reader, address.form, device)
  const { from: _, to: __, participant: ___, ...attrs } = receipt.attrs
  const whereabouts = group === undefined ? { from: by } : { from: group, participant: by }
  deliver(network, sender.number, address.device, { ...receipt, attrs: { ...attrs, ...whereabouts } })
}
