// Checks a companion's status post: the people it was encrypted for get it.
import { child, children, type Stanza } from '../../codec/stanza.ts'
import { parseAddress, STATUS } from '../address.ts'
import type { Network } from '../network.ts'
import { Refusal } from '../refusal.ts'
import { addressee, type Copy, INVALID, judged, type Posting, type Sender, wellFormed } from './posting.ts'

export function postToStatus(network: Network, sender: Sender, message: Stanza): Posting {
  const { participant } = message.attrs
  if (participant !== undefined) {
    const form = parseAddress(participant)?.form ?? 'lid'
    return { chat: { jid: STATUS, form }, form, copies: () => copyForOne(network, sender, message) }
  }
  const targets = children(child(message, 'participants'), 'to')
  const form = parseAddress(targets[0]?.attrs.jid)?.form ?? 'lid'
  return { chat: { jid: STATUS, form }, form, copies: () => copies(network, sender, message, targets) }
}

/** The post is encrypted once; each device gets the key to it. */
function copies(network: Network, sender: Sender, message: Stanza, targets: Stanza[]): Copy[] {
  const shared = child(message, 'enc')
  if (!shared || !wellFormed(shared, /^skmsg$/) || targets.length === 0) throw new Refusal(INVALID)
  return targets.flatMap((to) => {
    const { account, address, present } = addressee(network, to.attrs.jid)
    if (sender.account.lidMigrated && address.form === 'pn') throw new Refusal(INVALID)
    const content = [judged(message, child(to, 'enc'), sender), shared]
    const back = account.number === sender.account.number && address.device === sender.companion.device
    return present && !back ? [{ account, device: address.device, content }] : []
  })
}

/** A post sent again to the one device that could not decrypt it. */
function copyForOne(network: Network, sender: Sender, message: Stanza): Copy[] {
  const { account, address, present } = addressee(network, message.attrs.participant)
  const content = [judged(message, child(message, 'enc'), sender)]
  return present ? [{ account, device: address.device, content }] : []
}
