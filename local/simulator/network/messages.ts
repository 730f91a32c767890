// A companion's message: judged, acknowledged, and passed to each device that it was encrypted for.
import { children, type Stanza, stanza } from '../codec/stanza.ts'
import { type Incoming, receiveAtPhone } from '../phones/receiving.ts'
import { neutralId } from './address.ts'
import { type Connection, whose } from './connections.ts'
import { deliver } from './delivery.ts'
import { type Copy, chatOf, copiesIn } from './message-addressing.ts'
import { messageStanza } from './message-stanza.ts'
import type { Network } from './network.ts'
import { Refusal } from './refusal.ts'
import { seconds } from './stamps.ts'
import { streamError } from './stream-errors.ts'

export async function takeMessage(network: Network, connection: Connection, message: Stanza) {
  const { number, device } = whose(connection)
  const { id, to } = message.attrs
  const sender = number === null ? undefined : network.store.accounts.find(number)
  const companion = sender && device !== null && network.store.companions.find(sender.number, device)
  if (!sender || !companion || !id || !to) {
    connection.wire.end(streamError(400))
    return
  }
  const sentAt = Date.now()
  try {
    const chat = chatOf(network, message)
    network.log.saw({ number, device }, { what: 'message', id, to: neutralId(chat.account.number) })
    const copies = copiesIn(network, sender, chat, message, companion)
    const fault = network.faults.forRequest({ number: sender.number, tags: ['message'] })
    if (fault.refused !== undefined) throw new Refusal(fault.refused)
    const sent: Sent = {
      id,
      sender,
      device: companion.device,
      chat: chat.account,
      form: chat.address.form,
      sentAt,
    }
    keep(network, sent)
    if (!fault.silent) acknowledge(network, connection, message, sentAt)
    for (const copy of copies) await pass(network, sent, message, copy)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    acknowledge(network, connection, message, sentAt, error.code)
  }
}

type Sent = Omit<Incoming, 'enc'>

function keep(network: Network, { id, sender, device, chat, form, sentAt }: Sent) {
  const content = undefined
  network.store.messages.add({ id, sender: sender.number, device, chat: chat.number, form, content, sentAt })
}

async function pass(network: Network, sent: Sent, message: Stanza, { account, device, enc }: Copy) {
  if (device === 0) return receiveAtPhone(network, account, { ...sent, enc })
  const envelope = { ...sent, to: account, type: message.attrs.type ?? 'text' }
  const content = [enc, ...children(message, 'device-identity')]
  deliver(network, account.number, device, messageStanza(envelope, content))
}

function acknowledge(
  network: Network,
  connection: Connection,
  { attrs }: Stanza,
  sentAt: number,
  error?: number,
) {
  const ack = stanza('ack', {
    class: 'message',
    id: attrs.id,
    from: attrs.to,
    t: seconds(sentAt),
    error: error === undefined ? undefined : String(error),
  })
  network.faults.later(whose(connection).number ?? undefined, () => connection.wire.send(ack))
}
