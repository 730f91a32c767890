// Checks a companion's message to a person: its chat, and the devices that it was encrypted for.
import { child, children, type Stanza } from '../../codec/stanza.ts'
import type { Account } from '../../store/accounts.ts'
import { accountAt, parseAddress } from '../address.ts'
import { mayWriteTo } from '../limits.ts'
import type { Network } from '../network.ts'
import { Refusal } from '../refusal.ts'
import { addressee, type Copy, INVALID, judged, type Posting, type Sender } from './posting.ts'

export function postToPerson(network: Network, sender: Sender, message: Stanza): Posting {
  // A message sent again to one device of our own names the chat apart.
  const address = parseAddress(message.attrs.recipient ?? message.attrs.to)
  const chat = accountAt(network.store, address)
  if (address === undefined) throw new Refusal(400)
  if (chat === undefined) throw new Refusal(404)
  if (message.attrs.category !== 'peer') mayWriteTo(network, sender.account, chat)
  const copies = () => copiesIn(network, sender, chat, address.form, message)
  return { chat, form: address.form, copies }
}

function copiesIn(network: Network, sender: Sender, chat: Account, form: string, message: Stanza): Copy[] {
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
    const { account, address, present } = addressee(network, jid)
    const belongs = account.number === sender.account.number || account.number === chat.number
    if (!belongs || address.form !== form) throw new Refusal(INVALID)
    const content = [judged(message, enc, sender)]
    if (present) copies.push({ account, device: address.device, content })
  }
  return copies
}
