// An account's privacy settings and block list, and the notices about their changes.
import { listContacts } from '../app-state/read-settings.ts'
import { buildStanza, type Stanza } from '../codec/stanza.ts'
import { formatAddress } from '../network/address.ts'
import { deliverToAll } from '../network/deliver-stanza.ts'
import type { Network } from '../network/simulated-network.ts'
import { createId, formatSeconds } from '../network/stanza-ids.ts'
import type { Account } from '../store/account-table.ts'

const SOME = ['all', 'contacts', 'contact_blacklist', 'none']
/** The values of each category. */
const CATEGORIES: Record<string, string[]> = {
  last: SOME,
  online: ['all', 'match_last_seen'],
  profile: SOME,
  status: SOME,
  groupadd: SOME,
  calladd: ['all', 'known'],
  messages: ['all', 'contacts'],
  readreceipts: ['all', 'none'],
}

type Category = { name: string; value: string }

export function isAllowedValue(name: string, value: string): boolean {
  return CATEGORIES[name]?.includes(value) ?? false
}

export function readPrivacy({ store }: Network, { number }: Account): Record<string, string> {
  const values = Object.keys(CATEGORIES).map((name) => [name, store.privacy.readValue(number, name)])
  return Object.fromEntries(values)
}

/** `by` is the device that made the change, which is not notified; without one it was the phone. */
export function setPrivacy(network: Network, account: Account, changed: Category[], by?: number) {
  for (const { name, value } of changed) network.store.privacy.storeValue(account.number, name, value)
  notifyAccount(network, account, buildStanza('privacy', {}, changed.map(buildCategoryNode)), by)
}

export function setBlocked(
  network: Network,
  account: Account,
  other: Account,
  action: 'block' | 'unblock',
  by?: number,
) {
  network.store.privacy[action](account.number, other.number)
  const item = buildStanza('item', { jid: formatAddress(other, 'lid'), action })
  notifyAccount(network, account, buildStanza('blocklist', {}, [item]), by)
}

/** Whether this account allows the other what the category covers. */
export function isAllowed(network: Network, account: Account, category: string, other: Account): boolean {
  if (account.number === other.number) return true
  const value = network.store.privacy.readValue(account.number, category)
  if (value === 'all' || value === 'contact_blacklist') return true
  if (value === 'none') return false
  // A person to whom the account has written is in the phone's book, even if its companions do not know.
  const known = network.store.messages.hasWrittenTo(account.number, other.number)
  return known || listContacts(network, account).has(other.number)
}

export function buildCategoryNode({ name, value }: Category): Stanza {
  return buildStanza('category', { name, value })
}

/** The account's companions store the same settings. */
export function notifyAccount(network: Network, account: Account, change: Stanza, by?: number) {
  const attrs = {
    from: formatAddress(account, 'pn'),
    type: 'account_sync',
    id: createId(),
    t: formatSeconds(),
  }
  deliverToAll(network, account.number, buildStanza('notification', attrs, [change]), by)
}
