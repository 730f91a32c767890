// Requests about an account's privacy settings and its block list.
import { buildStanza, listChildren, type Stanza } from '../codec/stanza.ts'
import { sha256 } from '../crypto/ciphers.ts'
import { findAccount, formatAddress, parseAddress } from '../network/address.ts'
import { Refusal } from '../network/refusal-codes.ts'
import { formatSeconds } from '../network/stanza-ids.ts'
import { AUDIENCES, readStatusAudience } from '../people/audience.ts'
import {
  buildCategoryNode,
  isAllowedValue,
  notifyAccount,
  readPrivacy,
  setBlocked,
  setPrivacy,
} from '../people/privacy-settings.ts'
import { issueToken } from '../people/privacy-tokens.ts'
import type { Account } from '../store/account-table.ts'
import { type Request, type RequestTable, requireCompanion } from './request.ts'

/** Never, a day, a week, ninety days: in seconds. */
const DURATIONS = new Set(['0', '86400', '604800', '7776000'])

export const privacyRequests: RequestTable = {
  'privacy get privacy'(request) {
    const { account } = requireCompanion(request)
    const settings = readPrivacy(request.network, account)
    const categories = Object.entries(settings).map(([name, value]) => buildCategoryNode({ name, value }))
    return [buildStanza('privacy', {}, categories)]
  },

  'privacy set privacy'(request) {
    const { account, companion } = requireCompanion(request)
    const changes = listChildren(request.child, 'category').map(({ attrs }) => attrs)
    if (changes.length === 0) throw new Refusal(400)
    const changed = changes.map(({ name = '', value = '' }) => {
      if (!isAllowedValue(name, value)) throw new Refusal(400)
      return { name, value }
    })
    setPrivacy(request.network, account, changed, companion.device)
    return [buildStanza('privacy', {}, changed.map(buildCategoryNode))]
  },

  'status get privacy'(request) {
    const { account } = requireCompanion(request)
    const { type, numbers } = readStatusAudience(request.network, account)
    const { accounts } = request.network.store
    const lists = AUDIENCES.map((one) => {
      const users = one === type ? numbers.flatMap((number) => accounts.find(number) ?? []) : []
      const nodes = users.map((user) => buildStanza('user', { jid: formatAddress(user, 'pn') }))
      return buildStanza('list', { type: one, ...(one === type && { default: 'true' }) }, nodes)
    })
    return [buildStanza('privacy', {}, lists)]
  },

  'privacy set tokens'(request) {
    const { account } = requireCompanion(request)
    const tokens = listChildren(request.child, 'token')
    const { store } = request.network
    const issued = tokens.map(({ attrs }) => ({ attrs, holder: findAccount(store, parseAddress(attrs.jid)) }))
    if (issued.length === 0 || issued.some(({ attrs }) => !/^\d{10}$/.test(attrs.t ?? '')))
      throw new Refusal(400)
    for (const { attrs, holder } of issued)
      if (holder !== undefined) issueToken(request.network, account, holder, attrs.t ?? '')
    return [buildStanza('tokens')]
  },

  'disappearing_mode set disappearing_mode'(request) {
    const { account, companion } = requireCompanion(request)
    const { duration = '' } = request.child?.attrs ?? {}
    if (!DURATIONS.has(duration)) throw new Refusal(400)
    request.network.store.privacy.storeValue(account.number, 'disappearing', duration)
    const changed = buildStanza('disappearing_mode', { duration, t: formatSeconds() })
    notifyAccount(request.network, account, changed, companion.device)
    return []
  },

  'blocklist get -'(request) {
    const { account } = requireCompanion(request)
    return [buildBlocklist(request, account)]
  },

  'blocklist set item'(request) {
    const { account, companion } = requireCompanion(request)
    const { action, jid } = request.child?.attrs ?? {}
    const other = findAccount(request.network.store, parseAddress(jid))
    if (action !== 'block' && action !== 'unblock') throw new Refusal(400)
    if (other === undefined) throw new Refusal(404)
    if (other.number === account.number) throw new Refusal(406)
    setBlocked(request.network, account, other, action, companion.device)
    return [buildBlocklist(request, account)]
  },
}

function buildBlocklist({ network }: Request, { number }: Account): Stanza {
  const { accounts, privacy } = network.store
  const blocked = privacy.listBlocked(number)
  const dhash = sha256(Buffer.from(blocked.join())).toString('base64url').slice(0, 16)
  const items = blocked.flatMap((one) => {
    const account = accounts.find(one)
    return account === undefined ? [] : [buildStanza('item', { jid: formatAddress(account, 'lid') })]
  })
  return buildStanza('list', { dhash }, items)
}
