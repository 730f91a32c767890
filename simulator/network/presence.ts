// Presence and typing: sent to connected subscribers only, and not stored.
import { children, type Stanza, stanza } from '../codec/stanza.ts'
import type { Account } from '../store/accounts.ts'
import type { Form } from '../store/messages.ts'
import { accountAt, addressOf, isGroup, parseAddress } from './address.ts'
import { type Connection, whose } from './connections.ts'
import { chatName } from './messages/chats.ts'
import type { Network } from './network.ts'

const TYPING = new Set(['composing', 'paused'])

/** Typing is sent to the other side of the chat. */
export function takeChatState(network: Network, connection: Connection, state: Stanza) {
  const sender = speaker(network, connection)
  const [doing] = children(state)
  const { to } = state.attrs
  if (sender === undefined || doing === undefined || !TYPING.has(doing.tag)) return
  const group = isGroup(to) ? network.store.groups.find(to ?? '') : undefined
  if (group !== undefined) {
    if (network.store.groups.member(group.jid, sender.number) === undefined) return
    log(network, connection, { to: group.jid, form: group.form }, state)
    const by = addressOf(sender, group.form)
    const told = stanza('chatstate', { from: group.jid, participant: by }, [doing])
    for (const { number } of network.store.groups.members(group.jid)) {
      if (number !== sender.number) sayTo(network, number, told)
    }
    return
  }
  const address = parseAddress(to)
  const other = accountAt(network.store, address)
  if (address === undefined || other === undefined) return
  log(network, connection, { to: chatName(other), form: address.form }, state)
  sayTo(network, other.number, stanza('chatstate', { from: addressOf(sender, address.form) }, [doing]))
}

/** A subscription sends an account's presence to this connection, in this form of address. */
export function takePresence(network: Network, connection: Connection, presence: Stanza) {
  const sender = speaker(network, connection)
  if (sender === undefined) return
  const { type = 'available', to } = presence.attrs
  if (type === 'subscribe') {
    const address = parseAddress(to)
    const other = accountAt(network.store, address)
    if (address === undefined || other === undefined) return
    connection.watched.set(other.number, address.form)
    connection.socket.send(presenceNode(other, address.form, isThere(network, other)))
    return
  }
  connection.available = type === 'available'
  network.log.saw(whose(connection), { what: 'presence', state: type })
  notifyWatchers(network, sender)
}

/** Called when a connection has ended: its account is no longer present on it. */
export function leavePresence(network: Network, connection: Connection) {
  const gone = connection.available ? speaker(network, connection) : undefined
  if (gone !== undefined) notifyWatchers(network, gone)
}

function notifyWatchers(network: Network, account: Account) {
  const there = isThere(network, account)
  for (const { watched, socket } of network.connections.of()) {
    const form = watched.get(account.number)
    if (form !== undefined) socket.send(presenceNode(account, form, there))
  }
}

export function isThere(network: Network, { number }: Account): boolean {
  return onlineOf(network, number).some(({ available }) => available)
}

function onlineOf({ store, connections }: Network, number: string): Connection[] {
  const online = store.companions.of(number).map(({ device }) => connections.online(number, device))
  return online.filter((connection) => connection !== undefined)
}

/** Who is there is told without a type. */
function presenceNode(account: Account, form: 'pn' | 'lid', there: boolean): Stanza {
  return stanza('presence', { from: addressOf(account, form), type: there ? undefined : 'unavailable' })
}

function speaker({ store }: Network, connection: Connection): Account | undefined {
  const { number } = whose(connection)
  return number === null ? undefined : store.accounts.find(number)
}

function log(network: Network, connection: Connection, chat: { to: string; form: Form }, said: Stanza) {
  const [doing] = children(said)
  const { from } = said.attrs
  const state = doing?.attrs.media === 'audio' ? 'recording' : (doing?.tag ?? '')
  network.log.saw(whose(connection), { what: 'chatstate', ...chat, state, ...(from && { from }) })
}

function sayTo(network: Network, number: string, said: Stanza) {
  for (const { flowing, socket } of onlineOf(network, number)) {
    if (flowing) socket.send(said)
  }
}
