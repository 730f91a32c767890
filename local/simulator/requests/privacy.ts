// Requests about what an account lets others see and do, and whom it has blocked.
import { children, type Stanza, stanza } from '../codec/stanza.ts'
import { sha256 } from '../crypto/ciphers.ts'
import { accountAt, addressOf, parseAddress } from '../network/address.ts'
import { deliverToAll } from '../network/delivery.ts'
import { Refusal } from '../network/refusal.ts'
import { freshId, seconds } from '../network/stamps.ts'
import type { Account } from '../store/accounts.ts'
import { asking, type Request, type RequestTable } from './request.ts'

const CATEGORIES = ['last', 'online', 'profile', 'status', 'groupadd', 'calladd', 'messages', 'readreceipts']
const VALUES = new Set(['all', 'contacts', 'contact_blacklist', 'none', 'match_last_seen', 'known'])
/** Never, a day, a week, ninety days: in seconds. */
const DURATIONS = new Set(['0', '86400', '604800', '7776000'])

export const privacyRequests: RequestTable = {
  'privacy get privacy'(request) {
    const { account } = asking(request)
    const { privacy } = request.network.store
    const categories = CATEGORIES.map((name) => categoryNode(name, privacy.get(account.number, name)))
    return [stanza('privacy', {}, categories)]
  },

  'privacy set privacy'(request) {
    const { account } = asking(request)
    const changes = children(request.child, 'category').map(({ attrs }) => attrs)
    if (changes.length === 0) throw new Refusal(400)
    const changed = changes.map(({ name = '', value = '' }) => {
      if (!CATEGORIES.includes(name) || !VALUES.has(value)) throw new Refusal(400)
      return { name, value }
    })
    for (const { name, value } of changed) request.network.store.privacy.set(account.number, name, value)
    const categories = changed.map(({ name, value }) => categoryNode(name, value))
    return [stanza('privacy', {}, categories)]
  },

  'privacy set tokens'(request) {
    asking(request)
    const tokens = children(request.child, 'token')
    if (tokens.length === 0) throw new Refusal(400)
    return [stanza('tokens')]
  },

  'disappearing_mode set disappearing_mode'(request) {
    const { account, companion } = asking(request)
    const { duration = '' } = request.child?.attrs ?? {}
    if (!DURATIONS.has(duration)) throw new Refusal(400)
    request.network.store.privacy.set(account.number, 'disappearing', duration)
    const changed = stanza('disappearing_mode', { duration, t: seconds() })
    tellSiblings(request, account, companion.device, changed)
    return []
  },

  'blocklist get -'(request) {
    const { account } = asking(request)
    return [blocklist(request, account)]
  },

  'blocklist set item'(request) {
    const { account, companion } = asking(request)
    const { action, jid } = request.child?.attrs ?? {}
    const other = accountAt(request.network.store, parseAddress(jid))
    if (action !== 'block' && action !== 'unblock') throw new Refusal(400)
    if (other === undefined) throw new Refusal(404)
    if (other.number === account.number) throw new Refusal(406)
    request.network.store.privacy[action](account.number, other.number)
    const item = stanza('item', { jid: addressOf(other, 'lid'), action })
    tellSiblings(request, account, companion.device, stanza('blocklist', {}, [item]))
    return [blocklist(request, account)]
  },
}

function categoryNode(name: string, value: string): Stanza {
  return stanza('category', { name, value })
}

function blocklist({ network }: Request, { number }: Account): Stanza {
  const { accounts, privacy } = network.store
  const blocked = privacy.blocked(number)
  const dhash = sha256(Buffer.from(blocked.join())).toString('base64url').slice(0, 16)
  const items = blocked.flatMap((one) => {
    const account = accounts.find(one)
    return account === undefined ? [] : [stanza('item', { jid: addressOf(account, 'lid') })]
  })
  return stanza('list', { dhash }, items)
}

/** The account's other companions keep the same settings. */
function tellSiblings({ network }: Request, account: Account, device: number, change: Stanza) {
  const attrs = {
    from: addressOf(account, 'pn'),
    type: 'account_sync',
    id: freshId(),
    t: seconds(),
  }
  deliverToAll(network, account.number, stanza('notification', attrs, [change]), device)
}
