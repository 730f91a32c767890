// What a phone sends to a companion of its own account: keys, history. It is no message between people, and faults spare it.
import { proto } from '../codec/protobuf.ts'
import { stanza } from '../codec/stanza.ts'
import { addressOf } from '../network/address.ts'
import { deliver } from '../network/delivery.ts'
import type { Network } from '../network/network.ts'
import { freshMessageId, seconds } from '../network/stamps.ts'
import type { Account } from '../store/accounts.ts'
import { encryptFor } from './ciphers.ts'

/** Answers the id, or undefined for a companion that no longer exists. */
export async function sendToCompanion(
  network: Network,
  account: Account,
  device: number,
  protocolMessage: proto.Message.IProtocolMessage,
): Promise<string | undefined> {
  const message = proto.Message.encode({ protocolMessage }).finish()
  const enc = await encryptFor(network, account, { account, device }, message)
  if (enc === undefined) return undefined
  const id = freshMessageId()
  const attrs = {
    from: addressOf(account, 'pn'),
    id,
    type: 'text',
    category: 'peer',
    push_priority: 'high',
    t: seconds(),
  }
  deliver(network, account.number, device, stanza('message', attrs, [enc]))
  return id
}
