// Tokens by which an account vouches for another one: who has one may write to it, and is no stranger.
import { stanza } from '../codec/stanza.ts'
import { hmac } from '../crypto/ciphers.ts'
import type { Account } from '../store/accounts.ts'
import { addressOf } from './address.ts'
import { deliverToAll } from './delivery.ts'
import type { Network } from './network.ts'
import { freshId } from './stamps.ts'

const TOKEN_BYTES = 16

/** The holder's companions get the token. `t` is in seconds, as the issuer named it. */
export function issueToken(network: Network, issuer: Account, holder: Account, t: string) {
  const { store } = network
  if (issuer.number === holder.number || store.privacy.hasBlocked(holder.number, issuer.number)) return
  const pair = Buffer.from(`${issuer.number} ${holder.number}`)
  const content = hmac(store.mediaPassKey, pair).subarray(0, TOKEN_BYTES)
  const token = stanza('token', { type: 'trusted_contact', t, jid: addressOf(holder, 'pn') }, content)
  const attrs = {
    from: addressOf(issuer, 'pn'),
    sender_lid: addressOf(issuer, 'lid'),
    type: 'privacy_token',
    id: freshId(),
    t,
  }
  deliverToAll(network, holder.number, stanza('notification', attrs, [stanza('tokens', {}, [token])]))
}
