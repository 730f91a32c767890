// Checks a companion's message to a person: its chat, and the devices that it was encrypted for.
import { child, children, type Stanza } from '../../codec/stanza.ts'
import type { Account } from '../../store/accounts.ts'
import type { Form } from '../../store/messages.ts'
import { accountAt, addressOf, parseAddress } from '../address.ts'
import { mayWriteTo } from '../limits.ts'
import type { Network } from '../network.ts'
import { Refusal } from '../refusal.ts'
import { devicesOf, hashDevices } from './device-hash.ts'
import { addressee, type Copy, INVALID, judged, type Posting, type Sender } from './posting.ts'

export function postToPerson(network: Network, sender: Sender, message: Stanza): Posting {
  // A message sent again to one device of our own names the chat apart.
  const address = parseAddress(message.attrs.recipient ?? message.attrs.to)
  const chat = accountAt(network.store, address)
  if (address === undefined) throw new Refusal(400)
  if (chat === undefined) throw new Refusal(404)
  if (message.attrs.category !== 'peer') mayWriteTo(network, sender.account, chat)
  const { form } = address
  const copies = () => copiesIn(network, sender, chat, form, message)
  return { chat, form, copies, phash: correctHash(network, sender, chat, form, message) }
}

type Target = { jid: string | undefined; enc: Stanza | undefined }

function targetsOf(message: Stanza): Target[] {
  const single = child(message, 'enc')
  if (single) return [{ jid: message.attrs.to, enc: single }]
  return children(child(message, 'participants'), 'to').map((to) => ({
    jid: to.attrs.jid,
    enc: child(to, 'enc'),
  }))
}

/** Undefined if the message is for all devices of both sides, or for one device of the sender's choice. */
function correctHash(network: Network, sender: Sender, chat: Account, form: Form, message: Stanza) {
  if (child(message, 'enc')) return undefined
  const both = new Set([chat, sender.account])
  const devices = [...both].flatMap((account) => devicesOf(network, account))
  const own = addressOf(sender.account, form, sender.companion.device)
  const missing = new Set(devices.map(({ account, device }) => addressOf(account, form, device)))
  let unknown = 0
  for (const jid of [own, ...targetsOf(message).map((target) => target.jid)]) {
    if (!missing.delete(jid ?? '')) unknown += 1
  }
  return missing.size + unknown > 0 ? hashDevices(devices, form) : undefined
}

function copiesIn(network: Network, sender: Sender, chat: Account, form: Form, message: Stanza): Copy[] {
  const targets = targetsOf(message)
  if (targets.length === 0) throw new Refusal(INVALID)
  const copies: Copy[] = []
  for (const { jid, enc } of targets) {
    const { account, address, present } = addressee(network, jid)
    const belongs = account.number === sender.account.number || account.number === chat.number
    if (!belongs || address.form !== form) throw new Refusal(INVALID)
    const content = [judged(message, enc, sender)]
    if (present) copies.push({ account, device: address.device, content })
  }
  return copies
}
