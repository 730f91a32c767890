// Checks a companion's status post: the people it was encrypted for get it.
import { findChild, listChildren, type Stanza } from '../codec/stanza.ts'
import { parseAddress, STATUS } from '../network/address.ts'
import { Refusal } from '../network/refusal-codes.ts'
import type { Network } from '../network/simulated-network.ts'
import {
  type Copy,
  checkEncrypted,
  findAddressee,
  INVALID,
  isWellFormed,
  type Posting,
  type Sender,
} from './posting.ts'

export function postToStatus(network: Network, sender: Sender, message: Stanza): Posting {
  const { participant } = message.attrs
  if (participant !== undefined) {
    const form = parseAddress(participant)?.form ?? 'lid'
    return { chat: { jid: STATUS, form }, form, buildCopies: () => buildCopyForOne(network, sender, message) }
  }
  const targets = listChildren(findChild(message, 'participants'), 'to')
  const form = parseAddress(targets[0]?.attrs.jid)?.form ?? 'lid'
  return {
    chat: { jid: STATUS, form },
    form,
    buildCopies: () => buildCopiesForAll(network, sender, message, targets),
  }
}

/** The post is encrypted once; each device gets the key to it. */
function buildCopiesForAll(network: Network, sender: Sender, message: Stanza, targets: Stanza[]): Copy[] {
  const shared = findChild(message, 'enc')
  if (!shared || !isWellFormed(shared, /^skmsg$/) || targets.length === 0) throw new Refusal(INVALID)
  return targets.flatMap((to) => {
    const { account, address, present } = findAddressee(network, to.attrs.jid)
    if (sender.account.lidMigrated && address.form === 'pn') throw new Refusal(INVALID)
    const content = [checkEncrypted(message, findChild(to, 'enc'), sender), shared]
    const back = account.number === sender.account.number && address.device === sender.companion.device
    return present && !back ? [{ account, device: address.device, content }] : []
  })
}

/** A post sent again to the one device that could not decrypt it. */
function buildCopyForOne(network: Network, sender: Sender, message: Stanza): Copy[] {
  const { account, address, present } = findAddressee(network, message.attrs.participant)
  const content = [checkEncrypted(message, findChild(message, 'enc'), sender)]
  return present ? [{ account, device: address.device, content }] : []
}
