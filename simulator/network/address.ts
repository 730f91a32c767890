// Addresses of accounts and devices, on the wire and in the control interface.
import type { Account } from '../store/account-table.ts'
import type { AddressForm } from '../store/message-table.ts'
import type { Store } from '../store/network-store.ts'

const DOMAINS: Record<AddressForm, string> = { pn: 's.whatsapp.net', lid: 'lid' }
const HOSTED_DOMAINS: Record<AddressForm, string> = { pn: 'hosted', lid: 'hosted.lid' }
/** The number of an account's hosted device, which has domains of its own. */
export const HOSTED = 99
/** The network itself, as the sender of its own stanzas. */
export const SERVER = `@${DOMAINS.pn}`
/** The control interface names no real network. */
const NEUTRAL = 's.msgnet.net'

export type Address = { user: string; form: AddressForm; device: number }

/** Undefined for an address that is not a user or one of its devices. */
export function parseAddress(jid: string | undefined): Address | undefined {
  const parts = /^(\d+)(?::(\d{1,3}))?@(.+)$/.exec(jid ?? '')
  if (parts === null) return undefined
  const [, user = '', device = '0', domain] = parts
  const domains = Number(device) === HOSTED ? HOSTED_DOMAINS : DOMAINS
  const form = (['pn', 'lid'] as const).find((one) => domains[one] === domain)
  return form && { user, form, device: Number(device) }
}

/** Not so the server of all groups, which clients name with and without the sign. */
export function isGroupJid(jid: string | undefined): boolean {
  return jid?.endsWith('@g.us') === true && jid !== '@g.us'
}

/** The chat of status posts: every account has one, and only its owner writes there. */
export const STATUS = 'status@broadcast'

/** A chat with more than two people, where the sender is named beside the chat. */
export function isSharedChatJid(jid: string | undefined): boolean {
  return isGroupJid(jid) || jid === STATUS
}

export function formatAddress(account: Account, form: AddressForm, device = 0): string {
  const user = form === 'pn' ? account.number : account.lid
  const domains = device === HOSTED ? HOSTED_DOMAINS : DOMAINS
  return `${user}${device === 0 ? '' : `:${device}`}@${domains[form]}`
}

export function findAccount(store: Store, address: Address | undefined): Account | undefined {
  if (address === undefined) return undefined
  return address.form === 'pn' ? store.accounts.find(address.user) : store.accounts.findByLid(address.user)
}

/** The account's id in the control interface. */
export function toNeutralId(number: string): string {
  return `${number}@${NEUTRAL}`
}

/** Takes a number, or an id in the control interface's spelling. */
export function findAccountByName(store: Store, name: string): Account | undefined {
  const [user = '', domain = NEUTRAL] = name.replace(/^\+/, '').split('@')
  if (domain === NEUTRAL) return store.accounts.find(user)
  return domain === DOMAINS.lid ? store.accounts.findByLid(user) : undefined
}

/** An address of the wire in the control interface's spelling; other texts are not changed. */
export function toNeutralJid(jid: string): string {
  const address = parseAddress(jid)
  return address?.form === 'pn' ? toNeutralId(address.user) : jid
}
