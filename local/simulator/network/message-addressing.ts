// Judging a companion's message: in whose chat it is, and for which devices it was encrypted.
import { bytesOf, child, children, type Stanza } from '../codec/stanza.ts'
import type { Account } from '../store/accounts.ts'
import type { Companion } from '../store/companions.ts'
import { type Address, accountAt, isGroup, parseAddress } from './address.ts'
import type { Network } from './network.ts'
import { Refusal } from './refusal.ts'

export type Chat = { account: Account; address: Address }
export type Copy = { account: Account; device: number; enc: Stanza }

/** What is wrong with the addressing or the encryption is one code on the wire. */
const INVALID = 479

/** Whose chat it is in. A message sent again to one device of our own names the chat apart. */
export function chatOf(network: Network, { attrs }: Stanza): Chat {
  if (isGroup(attrs.to)) throw new Refusal(404)
  const address = parseAddress(attrs.recipient ?? attrs.to)
  const account = accountAt(network.store, address)
  if (address === undefined) throw new Refusal(400)
  if (account === undefined) throw new Refusal(404)
  return { account, address }
}

/** The copies in a message, each with the device that it is for. */
export function copiesIn(
  network: Network,
  sender: Account,
  chat: Chat,
  message: Stanza,
  companion: Companion,
): Copy[] {
  const single = child(message, 'enc')
  const targets = single
    ? [{ jid: message.attrs.to, enc: single }]
    : children(child(message, 'participants'), 'to').map((to) => ({
        jid: to.attrs.jid,
        enc: child(to, 'enc'),
      }))
  if (targets.length === 0) throw new Refusal(INVALID)
  const copies: Copy[] = []
  for (const { jid, enc } of targets) {
    const address = parseAddress(jid)
    const account = accountAt(network.store, address)
    const belongs = account?.number === sender.number || account?.number === chat.account.number
    if (!address || !account || !belongs || address.form !== chat.address.form) throw new Refusal(INVALID)
    if (!enc || !wellFormed(enc) || !vouchedFor(message, enc, companion)) throw new Refusal(INVALID)
    // A device that was unlinked a moment ago is nobody's mistake: its copy is dropped.
    const present = address.device === 0 || network.store.companions.find(account.number, address.device)
    if (present) copies.push({ account, device: address.device, enc })
  }
  return copies
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
