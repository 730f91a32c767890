// Presence and typing: sent to companions that are online, as far as the account's privacy allows it; not stored.
import { buildStanza, listChildren, readBytes, type Stanza } from '../codec/stanza.ts'
import { findAccount, formatAddress, isGroupJid, parseAddress } from '../network/address.ts'
import { type Connection, getDeviceId, type Watch } from '../network/connections.ts'
import { type Chat, getChatName, isGroupChat } from '../network/message-chats.ts'
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'
import type { Group } from '../store/group-table.ts'
import type { AddressForm } from '../store/message-table.ts'
import { isAllowed } from './privacy-settings.ts'
import { buildToken } from './privacy-tokens.ts'

const TYPING = new Set(['composing', 'paused'])

/** A companion types: shown to the other side of the chat. */
export function receiveChatState(network: Network, connection: Connection, state: Stanza) {
  const sender = findSender(network, connection)
  const [activity] = listChildren(state)
  const { to } = state.attrs
  if (sender === undefined || activity === undefined || !TYPING.has(activity.tag)) return
  const address = parseAddress(to)
  const chat = isGroupJid(to) ? network.store.groups.find(to ?? '') : findAccount(network.store, address)
  if (chat === undefined) return
  const form = isGroupChat(chat) ? chat.form : (address?.form ?? 'pn')
  if (!mayType(network, sender, chat)) return
  const { from } = state.attrs
  const shown = activity.attrs.media === 'audio' ? 'recording' : activity.tag
  const entry = { what: 'chatstate', to: getChatName(chat), form, state: shown } as const
  network.log.addEntry(getDeviceId(connection), { ...entry, ...(from && { from }) })
  showTyping(network, sender, { chat, form }, activity)
}

const mayType = ({ store }: Network, sender: Account, chat: Chat): boolean =>
  !isGroupChat(chat) || store.groups.findMember(chat.jid, sender.number) !== undefined

/** Companions learn of it while they are online, of a group with the person who types. */
export function showTyping(
  network: Network,
  sender: Account,
  { chat, form }: { chat: Account | Group; form: AddressForm },
  activity: Stanza,
) {
  const by = formatAddress(sender, form)
  if (!isGroupChat(chat)) {
    if (network.store.privacy.hasBlocked(chat.number, sender.number)) return
    return sendToCompanions(network, chat.number, buildStanza('chatstate', { from: by }, [activity]))
  }
  const chatState = buildStanza('chatstate', { from: chat.jid, participant: by }, [activity])
  for (const { number } of network.store.groups.listMembers(chat.jid))
    if (number !== sender.number) sendToCompanions(network, number, chatState)
}

/** A subscription sends an account's presence to this connection, in this form of address, while it is online itself. */
export function receivePresence(network: Network, connection: Connection, presence: Stanza) {
  const sender = findSender(network, connection)
  if (sender === undefined) return
  const { type = 'available', to } = presence.attrs
  if (type === 'subscribe') return subscribe(network, connection, sender, presence)
  const wasAvailable = isAvailable(network, sender)
  connection.available = type === 'available'
  network.log.addEntry(getDeviceId(connection), { what: 'presence', state: type, ...(to && { to }) })
  if (connection.available)
    for (const number of connection.watched.keys()) sendPresence(network, connection, number)
  if (wasAvailable !== isAvailable(network, sender)) notifyWatchers(network, sender)
}

function subscribe(network: Network, connection: Connection, watcher: Account, presence: Stanza) {
  const { to } = presence.attrs
  const address = parseAddress(to)
  const other = findAccount(network.store, address)
  const group = isGroupJid(to) ? network.store.groups.find(to ?? '') : undefined
  const token = readBytes(presence, 'tctoken')
  const vouched = other !== undefined && token?.equals(buildToken(network, other, watcher)) === true
  const name = group?.jid ?? (other && getChatName(other)) ?? ''
  network.log.addEntry(getDeviceId(connection), { what: 'presence', state: 'subscribe', to: name, vouched })
  if (address === undefined || other === undefined) return
  connection.watched.set(other.number, { form: address.form, vouched })
  sendPresence(network, connection, other.number)
}

/** Called when a connection has ended: its account is no longer present on it. */
export function endPresence(network: Network, connection: Connection) {
  const sender = connection.available ? findSender(network, connection) : undefined
  if (sender !== undefined) notifyWatchers(network, sender)
}

/** The phone of the account is used, or put away. */
export function setPhonePresence(network: Network, account: Account, available: boolean) {
  const before = isAvailable(network, account)
  network.phonePresences.setAvailable(account.number, available)
  if (before !== isAvailable(network, account)) notifyWatchers(network, account)
}

function notifyWatchers(network: Network, account: Account) {
  if (!isAvailable(network, account)) network.phonePresences.recordLeaving(account.number)
  for (const connection of network.connections.listConnections())
    sendPresence(network, connection, account.number)
}

function sendPresence(network: Network, connection: Connection, number: string) {
  const watch = connection.watched.get(number)
  if (!connection.available || watch === undefined) return
  const watcher = findSender(network, connection)
  const account = network.store.accounts.find(number)
  if (watcher === undefined || account === undefined) return
  const presence = buildPresence(network, account, watcher, watch)
  if (presence !== undefined) connection.socket.send(presence)
}

export function isAvailable(network: Network, { number }: Account): boolean {
  const onCompanion = listOnline(network, number).some(({ available }) => available)
  return onCompanion || network.phonePresences.isAvailable(number)
}

function listOnline({ store, connections }: Network, number: string): Connection[] {
  const online = store.companions
    .listByNumber(number)
    .map(({ device }) => connections.findOnline(number, device))
  return online.filter((connection) => connection !== undefined)
}

/** Undefined where the account hides it. An account that is available has a presence without a type. */
function buildPresence(network: Network, account: Account, watcher: Account, watch: Watch) {
  const { store, phonePresences } = network
  const isShown = (category: string) => {
    const value = store.privacy.readValue(account.number, category)
    return value === 'all' || (watch.vouched && isAllowed(network, account, category, watcher))
  }
  const showsLast = isShown('last')
  const isHidden = store.privacy.readValue(account.number, 'online') === 'match_last_seen' && !showsLast
  if (isHidden || store.privacy.hasBlocked(account.number, watcher.number)) return undefined
  const from = formatAddress(account, watch.form)
  if (isAvailable(network, account)) return buildStanza('presence', { from })
  const seen = phonePresences.findLastSeen(account.number)
  const last = showsLast ? (seen === undefined ? 'none' : String(Math.floor(seen / 1000))) : 'deny'
  return buildStanza('presence', { from, type: 'unavailable', last })
}

function findSender({ store }: Network, connection: Connection): Account | undefined {
  const { number } = getDeviceId(connection)
  return number === null ? undefined : store.accounts.find(number)
}

function sendToCompanions(network: Network, number: string, stanza: Stanza) {
  for (const { available, flowing, socket } of listOnline(network, number))
    if (flowing && available) socket.send(stanza)
}
