// Messages of a phone to its own companions, about the account and not for people.
import { proto } from '../codec/protobuf.ts'
import { stanza } from '../codec/stanza.ts'
import { addressOf } from '../network/address.ts'
import { deliver } from '../network/delivery.ts'
import type { Network } from '../network/network.ts'
import { freshMessageId, seconds } from '../network/stamps.ts'
import type { Account } from '../store/accounts.ts'
import { encryptFor } from './ciphers.ts'

/** Answers whether the companion still exists. */
export async function sendToCompanion(
  network: Network,
  account: Account,
  device: number,
  protocolMessage: proto.Message.IProtocolMessage,
): Promise<boolean> {
  const message = proto.Message.encode({ protocolMessage }).finish()
  const enc = await encryptFor(network, account, { account, device }, message)
  if (enc === undefined) return false
  const attrs = {
    from: addressOf(account, 'pn'),
    id: freshMessageId(),
    type: 'text',
    category: 'peer',
    push_priority: 'high',
    t: seconds(),
  }
  // Not as a normal message, which faults may damage.
  deliver(network, account.number, device, stanza('message', attrs, [enc]))
  return true
}
