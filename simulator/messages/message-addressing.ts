// Checks a companion's message to a person: its chat, and the devices that it was encrypted for.
import { findChild, listChildren, type Stanza } from '../codec/stanza.ts'
import { type Address, findAccount, formatAddress, parseAddress } from '../network/address.ts'
import { hashDevices, listDevices } from '../network/device-hash.ts'
import { checkMayWrite } from '../network/limit-account.ts'
import { Refusal } from '../network/refusal-codes.ts'
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'
import type { AddressForm } from '../store/message-table.ts'
import { type Copy, checkEncrypted, findAddressee, INVALID, type Posting, type Sender } from './posting.ts'

export function postToPerson(network: Network, sender: Sender, message: Stanza): Posting {
  // A message sent again to one device of our own names the chat separately.
  const address = parseAddress(message.attrs.recipient ?? message.attrs.to)
  const chat = findAccount(network.store, address)
  if (address === undefined) throw new Refusal(400)
  if (chat === undefined) throw new Refusal(404)
  if (message.attrs.category !== 'peer') {
    checkAddressForm(sender.account, message, address)
    checkOtherAddress(chat, message)
    checkMayWrite(network, sender.account, chat)
  }
  const { form } = address
  const buildCopies = () => buildCopiesForTargets(network, sender, chat, form, message)
  return { chat, form, buildCopies, phash: findCorrectHash(network, sender, chat, form, message) }
}

/** The account's chats were moved to LIDs, and this one names a number. */
const NUMBER_REFUSED = 463

/** An account writes to people by LID once it is migrated, and by number before that. */
function checkAddressForm({ lidMigrated }: Account, message: Stanza, { form }: Address) {
  // A message sent again answers a receipt that the network itself delivered in this form.
  if (findChild(message, 'enc') !== undefined) return
  if (lidMigrated && form === 'pn') throw new Refusal(NUMBER_REFUSED)
  if (!lidMigrated && form === 'lid') throw new Refusal(400)
}

/** Beside a LID the number may be named, and is then that of the same person. */
function checkOtherAddress(chat: Account, { attrs }: Stanza) {
  const named = attrs.peer_recipient_pn
  if (named !== undefined && named !== formatAddress(chat, 'pn')) throw new Refusal(400)
}

type Target = { jid: string | undefined; enc: Stanza | undefined }

function listTargets(message: Stanza): Target[] {
  const single = findChild(message, 'enc')
  if (single) return [{ jid: message.attrs.to, enc: single }]
  return listChildren(findChild(message, 'participants'), 'to').map((to) => ({
    jid: to.attrs.jid,
    enc: findChild(to, 'enc'),
  }))
}

/** Undefined if the message is for all devices of both sides, or for one device of the sender's choice. */
function findCorrectHash(
  network: Network,
  sender: Sender,
  chat: Account,
  form: AddressForm,
  message: Stanza,
) {
  if (findChild(message, 'enc')) return undefined
  const both = new Set([chat, sender.account])
  const devices = [...both].flatMap((account) => listDevices(network, account))
  const own = formatAddress(sender.account, form, sender.companion.device)
  const missing = new Set(devices.map(({ account, device }) => formatAddress(account, form, device)))
  let unknown = 0
  for (const jid of [own, ...listTargets(message).map((target) => target.jid)]) {
    if (!missing.delete(jid ?? '')) unknown += 1
  }
  return missing.size + unknown > 0 ? hashDevices(devices, form) : undefined
}

function buildCopiesForTargets(
  network: Network,
  sender: Sender,
  chat: Account,
  form: AddressForm,
  message: Stanza,
): Copy[] {
  const targets = listTargets(message)
  // For one device or for many, not both.
  const both = findChild(message, 'enc') !== undefined && findChild(message, 'participants') !== undefined
  if (targets.length === 0 || both) throw new Refusal(INVALID)
  const copies: Copy[] = []
  for (const { jid, enc } of targets) {
    const { account, address, present } = findAddressee(network, jid)
    const belongs = account.number === sender.account.number || account.number === chat.number
    if (!belongs) throw new Refusal(INVALID)
    if (address.form !== form) throw new Refusal(form === 'pn' ? 400 : INVALID)
    const content = [checkEncrypted(message, enc, sender)]
    if (present) copies.push({ account, device: address.device, content })
  }
  return copies
}
