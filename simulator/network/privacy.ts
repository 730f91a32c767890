// An account's privacy settings and block list, and the notices about their changes.
import { contactsOf } from '../app-state/reading.ts'
import { type Stanza, stanza } from '../codec/stanza.ts'
import type { Account } from '../store/accounts.ts'
import { addressOf } from './address.ts'
import { deliverToAll } from './delivery.ts'
import type { Network } from './network.ts'
import { freshId, seconds } from './stamps.ts'

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

export function mayBe(name: string, value: string): boolean {
  return CATEGORIES[name]?.includes(value) ?? false
}

export function privacyOf({ store }: Network, { number }: Account): Record<string, string> {
  const values = Object.keys(CATEGORIES).map((name) => [name, store.privacy.get(number, name)])
  return Object.fromEntries(values)
}

/** `by` is the device that made the change, which is not notified; without one it was the phone. */
export function setPrivacy(network: Network, account: Account, changed: Category[], by?: number) {
  for (const { name, value } of changed) network.store.privacy.set(account.number, name, value)
  notifyAccount(network, account, stanza('privacy', {}, changed.map(categoryNode)), by)
}

export function setBlocked(
  network: Network,
  account: Account,
  other: Account,
  action: 'block' | 'unblock',
  by?: number,
) {
  network.store.privacy[action](account.number, other.number)
  const item = stanza('item', { jid: addressOf(other, 'lid'), action })
  notifyAccount(network, account, stanza('blocklist', {}, [item]), by)
}

/** Whether this account allows the other what the category covers. */
export function lets(network: Network, account: Account, category: string, other: Account): boolean {
  if (account.number === other.number) return true
  const value = network.store.privacy.get(account.number, category)
  if (value === 'all' || value === 'contact_blacklist') return true
  if (value === 'none') return false
  // Who was written to is in the phone's book, whether or not its companions were told.
  const known = network.store.messages.hasWrittenTo(account.number, other.number)
  return known || contactsOf(network, account).has(other.number)
}

export function categoryNode({ name, value }: Category): Stanza {
  return stanza('category', { name, value })
}

/** The account's companions keep the same settings. */
export function notifyAccount(network: Network, account: Account, change: Stanza, by?: number) {
  const attrs = { from: addressOf(account, 'pn'), type: 'account_sync', id: freshId(), t: seconds() }
  deliverToAll(network, account.number, stanza('notification', attrs, [change]), by)
}
