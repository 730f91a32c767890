// What a phone sends to a companion of its own account: keys, history. These are no messages between people, and no fault affects them.
import { proto } from '../codec/protobuf.ts'
import { buildStanza } from '../codec/stanza.ts'
import { formatAddress } from '../network/address.ts'
import { deliverStanza } from '../network/deliver-stanza.ts'
import type { Network } from '../network/simulated-network.ts'
import { createMessageId, formatSeconds } from '../network/stanza-ids.ts'
import type { Account } from '../store/account-table.ts'
import { encryptFor } from './phone-ciphers.ts'

/** Returns the id, or undefined for a companion that no longer exists. */
export async function sendToCompanion(
  network: Network,
  account: Account,
  device: number,
  protocolMessage: proto.Message.IProtocolMessage,
): Promise<string | undefined> {
  const message = proto.Message.encode({ protocolMessage }).finish()
  const enc = await encryptFor(network, account, { account, device }, message)
  if (enc === undefined) return undefined
  const id = createMessageId()
  const attrs = {
    from: formatAddress(account, 'pn'),
    id,
    type: 'text',
    category: 'peer',
    push_priority: 'high',
    t: formatSeconds(),
  }
  deliverStanza(network, account.number, device, buildStanza('message', attrs, [enc]))
  return id
}
