// Checks a companion's message to a person: its chat, and the devices that it was encrypted for.
import { child, children, type Stanza } from '../../codec/stanza.ts'
import type { Account } from '../../store/accounts.ts'
import type { Form } from '../../store/messages.ts'
import { type Address, accountAt, addressOf, parseAddress } from '../address.ts'
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
  if (message.attrs.category !== 'peer') {
    checkForm(sender.account, message, address)
    checkOtherForm(chat, message)
    mayWriteTo(network, sender.account, chat)
  }
  const { form } = address
  const copies = () => copiesIn(network, sender, chat, form, message)
  return { chat, form, copies, phash: correctHash(network, sender, chat, form, message) }
}

/** The account's chats were moved to LIDs, and this one names a number. */
const NUMBER_REFUSED = 463

/** An account writes to people by LID once it is migrated, and by number before that. */
function checkForm({ lidMigrated }: Account, message: Stanza, { form }: Address) {
  // A message sent again answers a receipt that the network itself passed on in this form.
  if (child(message, 'enc') !== undefined) return
  if (lidMigrated && form === 'pn') throw new Refusal(NUMBER_REFUSED)
  if (!lidMigrated && form === 'lid') throw new Refusal(400)
}

/** Beside a LID the number may be named, and is then that of the same person. */
function checkOtherForm(chat: Account, { attrs }: Stanza) {
  const named = attrs.peer_recipient_pn
  if (named !== undefined && named !== addressOf(chat, 'pn')) throw new Refusal(400)
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
  // For one device or for many, not both.
  const both = child(message, 'enc') !== undefined && child(message, 'participants') !== undefined
  if (targets.length === 0 || both) throw new Refusal(INVALID)
  const copies: Copy[] = []
  for (const { jid, enc } of targets) {
    const { account, address, present } = addressee(network, jid)
    const belongs = account.number === sender.account.number || account.number === chat.number
    if (!belongs) throw new Refusal(INVALID)
    if (address.form !== form) throw new Refusal(form === 'pn' ? 400 : INVALID)
    const content = [judged(message, enc, sender)]
    if (present) copies.push({ account, device: address.device, content })
  }
  return copies
}
