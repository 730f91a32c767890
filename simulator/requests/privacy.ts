// Requests about an account's privacy settings and its block list.
import { children, type Stanza, stanza } from '../codec/stanza.ts'
import { sha256 } from '../crypto/ciphers.ts'
import { accountAt, addressOf, parseAddress } from '../network/address.ts'
import { AUDIENCES, statusAudienceOf } from '../network/messages/audience.ts'
import { categoryNode, mayBe, notifyAccount, privacyOf, setBlocked, setPrivacy } from '../network/privacy.ts'
import { issueToken } from '../network/privacy-tokens.ts'
import { Refusal } from '../network/refusal.ts'
import { seconds } from '../network/stamps.ts'
import type { Account } from '../store/accounts.ts'
import { asking, type Request, type RequestTable } from './request.ts'

/** Never, a day, a week, ninety days: in seconds. */
const DURATIONS = new Set(['0', '86400', '604800', '7776000'])

export const privacyRequests: RequestTable = {
  'privacy get privacy'(request) {
    const { account } = asking(request)
    const settings = privacyOf(request.network, account)
    const categories = Object.entries(settings).map(([name, value]) => categoryNode({ name, value }))
    return [stanza('privacy', {}, categories)]
  },

  'privacy set privacy'(request) {
    const { account, companion } = asking(request)
    const changes = children(request.child, 'category').map(({ attrs }) => attrs)
    if (changes.length === 0) throw new Refusal(400)
    const changed = changes.map(({ name = '', value = '' }) => {
      if (!mayBe(name, value)) throw new Refusal(400)
      return { name, value }
    })
    setPrivacy(request.network, account, changed, companion.device)
    return [stanza('privacy', {}, changed.map(categoryNode))]
  },

  'status get privacy'(request) {
    const { account } = asking(request)
    const { type, numbers } = statusAudienceOf(request.network, account)
    const { accounts } = request.network.store
    const lists = AUDIENCES.map((one) => {
      const users = one === type ? numbers.flatMap((number) => accounts.find(number) ?? []) : []
      const nodes = users.map((user) => stanza('user', { jid: addressOf(user, 'pn') }))
      return stanza('list', { type: one, ...(one === type && { default: 'true' }) }, nodes)
    })
    return [stanza('privacy', {}, lists)]
  },

  'privacy set tokens'(request) {
    const { account } = asking(request)
    const tokens = children(request.child, 'token')
    const { store } = request.network
    const issued = tokens.map(({ attrs }) => ({ attrs, holder: accountAt(store, parseAddress(attrs.jid)) }))
    if (issued.length === 0 || issued.some(({ attrs }) => !/^\d{10}$/.test(attrs.t ?? '')))
      throw new Refusal(400)
    for (const { attrs, holder } of issued)
      if (holder !== undefined) issueToken(request.network, account, holder, attrs.t ?? '')
    return [stanza('tokens')]
  },

  'disappearing_mode set disappearing_mode'(request) {
    const { account, companion } = asking(request)
    const { duration = '' } = request.child?.attrs ?? {}
    if (!DURATIONS.has(duration)) throw new Refusal(400)
    request.network.store.privacy.set(account.number, 'disappearing', duration)
    const changed = stanza('disappearing_mode', { duration, t: seconds() })
    notifyAccount(request.network, account, changed, companion.device)
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
    setBlocked(request.network, account, other, action, companion.device)
    return [blocklist(request, account)]
  },
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
