// A companion's message: judged, acknowledged, and passed to each device that it was encrypted for.
import { bytesOf, child, children, type Stanza, stanza } from '../codec/stanza.ts'
import { receiveAtPhone } from '../phones/receiving.ts'
import type { Account } from '../store/accounts.ts'
import type { Companion } from '../store/companions.ts'
import { type Address, accountAt, isGroup, neutralId, parseAddress } from './address.ts'
import { type Connection, whose } from './connections.ts'
import { deliver } from './delivery.ts'
import { messageStanza } from './message-stanza.ts'
import type { Network } from './network.ts'
import { Refusal } from './refusal.ts'

type Addressed = { account: Account; device: number; enc: Stanza }

/** What is wrong with the addressing or the encryption is one code on the wire. */
const INVALID = 479

export async function takeMessage(network: Network, connection: Connection, message: Stanza) {
  const { number, device } = whose(connection)
  const { id, to } = message.attrs
  const sender = number === null ? undefined : network.store.accounts.find(number)
  const companion = sender && device !== null && network.store.companions.find(sender.number, device)
  if (!sender || !companion || !id || !to) {
    connection.wire.end(stanza('stream:error', { code: '400' }))
    return
  }
  try {
    const chat = chatOf(network, message)
    network.log.saw({ number, device }, { what: 'message', id, to: neutralId(chat.account.number) })
    const fault = network.faults.forRequest({ number: sender.number, tags: ['message'] })
    const addressed = recipients(network, sender, chat, message, companion)
    const sentAt = Date.now()
    const { form } = chat.address
    network.store.messages.add({
      id,
      sender: sender.number,
      device: companion.device,
      chat: chat.account.number,
      form,
      content: undefined,
      sentAt,
    })
    if (!fault.silent) acknowledge(network, connection, message, sentAt, fault.refused)
    if (fault.refused !== undefined) return
    const sent = { id, sender, device: companion.device, chat: chat.account, form, sentAt }
    for (const one of addressed) {
      const passed = messageStanza({ ...sent, to: one.account, type: message.attrs.type ?? 'text' }, [
        one.enc,
        ...children(message, 'device-identity'),
      ])
      if (one.device === 0) await receiveAtPhone(network, one.account, { ...sent, enc: one.enc })
      else deliver(network, one.account.number, one.device, passed)
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    acknowledge(network, connection, message, Date.now(), error.code)
  }
}

function acknowledge(
  network: Network,
  connection: Connection,
  { attrs }: Stanza,
  sentAt: number,
  error: number | undefined,
) {
  const ack = stanza('ack', {
    class: 'message',
    id: attrs.id,
    from: attrs.to,
    t: String(Math.floor(sentAt / 1000)),
    error: error === undefined ? undefined : String(error),
  })
  network.faults.later(whose(connection).number ?? undefined, () => connection.wire.send(ack))
}

/** Whose chat it is in. A message sent again to one device of our own names the chat apart. */
function chatOf(network: Network, { attrs }: Stanza): { account: Account; address: Address } {
  if (isGroup(attrs.to)) throw new Refusal(404)
  const address = parseAddress(attrs.recipient ?? attrs.to)
  const account = accountAt(network.store, address)
  if (address === undefined) throw new Refusal(400)
  if (account === undefined) throw new Refusal(404)
  return { account, address }
}

function recipients(
  network: Network,
  sender: Account,
  chat: { account: Account; address: Address },
  message: Stanza,
  companion: Companion,
): Addressed[] {
  const single = child(message, 'enc')
  const targets = single
    ? [{ jid: message.attrs.to, enc: single }]
    : children(child(message, 'participants'), 'to').map((to) => ({
        jid: to.attrs.jid,
        enc: child(to, 'enc'),
      }))
  if (targets.length === 0) throw new Refusal(INVALID)
  const addressed: Addressed[] = []
  for (const { jid, enc } of targets) {
    const address = parseAddress(jid)
    const account = accountAt(network.store, address)
    const belongs = account?.number === sender.number || account?.number === chat.account.number
    if (!address || !account || !belongs || address.form !== chat.address.form) throw new Refusal(INVALID)
    if (!enc || !wellFormed(enc) || !vouchedFor(message, enc, companion)) throw new Refusal(INVALID)
    // A device that was unlinked a moment ago is nobody's mistake: its copy is dropped.
    const present = address.device === 0 || network.store.companions.find(account.number, address.device)
    if (present) addressed.push({ account, device: address.device, enc })
  }
  return addressed
}

function wellFormed({ attrs, content }: Stanza): boolean {
  return (
    attrs.v === '2' &&
    /^(pk)?msg$/.test(attrs.type ?? '') &&
    content instanceof Uint8Array &&
    content.length > 0
  )
}

/** A first message to a device carries the proof that the account vouches for its sender. */
function vouchedFor(message: Stanza, enc: Stanza, companion: Companion): boolean {
  if (enc.attrs.type !== 'pkmsg') return true
  return bytesOf(message, 'device-identity')?.equals(companion.deviceIdentity) ?? false
}
