// Presence and typing: sent to connected subscribers only, and not stored.
import { buildStanza, listChildren, type Stanza } from '../codec/stanza.ts'
import type { Account } from '../store/account-table.ts'
import type { AddressForm } from '../store/message-table.ts'
import { findAccount, formatAddress, isGroupJid, parseAddress } from './address.ts'
import { type Connection, getDeviceId } from './connections.ts'
import { getChatName } from './messages/message-chats.ts'
import type { Network } from './simulated-network.ts'

const TYPING = new Set(['composing', 'paused'])

/** Typing is sent to the other side of the chat. */
export function receiveChatState(network: Network, connection: Connection, state: Stanza) {
  const sender = findSender(network, connection)
  const [activity] = listChildren(state)
  const { to } = state.attrs
  if (sender === undefined || activity === undefined || !TYPING.has(activity.tag)) return
  const group = isGroupJid(to) ? network.store.groups.find(to ?? '') : undefined
  if (group !== undefined) {
    if (network.store.groups.findMember(group.jid, sender.number) === undefined) return
    logChatState(network, connection, { to: group.jid, form: group.form }, state)
    const by = formatAddress(sender, group.form)
    const chatState = buildStanza('chatstate', { from: group.jid, participant: by }, [activity])
    for (const { number } of network.store.groups.listMembers(group.jid)) {
      if (number !== sender.number) sendToCompanions(network, number, chatState)
    }
    return
  }
  const address = parseAddress(to)
  const other = findAccount(network.store, address)
  if (address === undefined || other === undefined) return
  logChatState(network, connection, { to: getChatName(other), form: address.form }, state)
  sendToCompanions(
    network,
    other.number,
    buildStanza('chatstate', { from: formatAddress(sender, address.form) }, [activity]),
  )
}

/** A subscription sends an account's presence to this connection, in this form of address. */
export function receivePresence(network: Network, connection: Connection, presence: Stanza) {
  const sender = findSender(network, connection)
  if (sender === undefined) return
  const { type = 'available', to } = presence.attrs
  if (type === 'subscribe') {
    const address = parseAddress(to)
    const other = findAccount(network.store, address)
    if (address === undefined || other === undefined) return
    connection.watched.set(other.number, address.form)
    connection.socket.send(buildPresence(other, address.form, isAvailable(network, other)))
    return
  }
  connection.available = type === 'available'
  network.log.addEntry(getDeviceId(connection), { what: 'presence', state: type })
  notifyWatchers(network, sender)
}

/** Called when a connection has ended: its account is no longer present on it. */
export function endPresence(network: Network, connection: Connection) {
  const sender = connection.available ? findSender(network, connection) : undefined
  if (sender !== undefined) notifyWatchers(network, sender)
}

function notifyWatchers(network: Network, account: Account) {
  const available = isAvailable(network, account)
  for (const { watched, socket } of network.connections.listConnections()) {
    const form = watched.get(account.number)
    if (form !== undefined) socket.send(buildPresence(account, form, available))
  }
}

export function isAvailable(network: Network, { number }: Account): boolean {
  return listOnline(network, number).some(({ available }) => available)
}

function listOnline({ store, connections }: Network, number: string): Connection[] {
  const online = store.companions
    .listByNumber(number)
    .map(({ device }) => connections.findOnline(number, device))
  return online.filter((connection) => connection !== undefined)
}

/** An account that is available has a presence without a type. */
function buildPresence(account: Account, form: 'pn' | 'lid', available: boolean): Stanza {
  return buildStanza('presence', {
    from: formatAddress(account, form),
    type: available ? undefined : 'unavailable',
  })
}

function findSender({ store }: Network, connection: Connection): Account | undefined {
  const { number } = getDeviceId(connection)
  return number === null ? undefined : store.accounts.find(number)
}

function logChatState(
  network: Network,
  connection: Connection,
  chat: { to: string; form: AddressForm },
  stanza: Stanza,
) {
  const [activity] = listChildren(stanza)
  const { from } = stanza.attrs
  const state = activity?.attrs.media === 'audio' ? 'recording' : (activity?.tag ?? '')
  network.log.addEntry(getDeviceId(connection), { what: 'chatstate', ...chat, state, ...(from && { from }) })
}

function sendToCompanions(network: Network, number: string, stanza: Stanza) {
  for (const { flowing, socket } of listOnline(network, number)) {
    if (flowing) socket.send(stanza)
  }
}
