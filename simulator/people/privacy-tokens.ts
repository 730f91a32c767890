// Tokens by which an account vouches for another: an account that has one may write to it, and counts as known.
import { buildStanza } from '../codec/stanza.ts'
import { hmac } from '../crypto/ciphers.ts'
import { formatAddress } from '../network/address.ts'
import { deliverToAll } from '../network/deliver-stanza.ts'
import type { Network } from '../network/simulated-network.ts'
import { createId } from '../network/stanza-ids.ts'
import type { Account } from '../store/account-table.ts'

const TOKEN_BYTES = 16

/** What the holder shows as proof that the issuer knows it. */
export function buildToken({ store }: Network, issuer: Account, holder: Account): Buffer {
  const pair = Buffer.from(`${issuer.number} ${holder.number}`)
  return hmac(store.mediaPassKey, pair).subarray(0, TOKEN_BYTES)
}

/** The holder's companions get the token. `t` is in seconds, as the issuer named it. */
export function issueToken(network: Network, issuer: Account, holder: Account, t: string) {
  const { store } = network
  if (issuer.number === holder.number || store.privacy.hasBlocked(holder.number, issuer.number)) return
  const content = buildToken(network, issuer, holder)
  const token = buildStanza(
    'token',
    { type: 'trusted_contact', t, jid: formatAddress(holder, 'pn') },
    content,
  )
  const attrs = {
    from: formatAddress(issuer, 'pn'),
    sender_lid: formatAddress(issuer, 'lid'),
    type: 'privacy_token',
    id: createId(),
    t,
  }
  deliverToAll(
    network,
    holder.number,
    buildStanza('notification', attrs, [buildStanza('tokens', {}, [token])]),
  )
}
