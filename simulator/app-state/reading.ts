// An account's settings as its phone shows them: chats, contacts, labels and the account's own name.
import { proto } from '../codec/protobuf.ts'
import { accountAt, neutral, parseAddress } from '../network/address.ts'
import type { Network } from '../network/network.ts'
import type { Account } from '../store/accounts.ts'
import { COLLECTIONS, collectionOf } from './patches.ts'

/** Times are in milliseconds; `mutedUntil` of -1 is for ever. */
export type ChatSettings = {
  chat: string
  archived?: boolean
  pinned?: boolean
  mutedUntil?: number | null
  read?: boolean
  starred?: string[]
  clearedAt?: number
  deletedAt?: number
}
export type Label = { labelid: string; name: string; color: number; chats: string[] }
type Read = {
  chats: Map<string, ChatSettings>
  contacts: Map<string, { jid: string; name: string; firstName: string }>
  labels: Map<string, Label>
}
type Action = { index: string[]; value: proto.ISyncActionValue; at: number }

export function settingsOf(network: Network, account: Account) {
  const read: Read = { chats: new Map(), contacts: new Map(), labels: new Map() }
  const versions: Record<string, number> = {}
  for (const name of COLLECTIONS) {
    versions[name] = collectionOf(network, account, name).version
    for (const { action } of network.store.appState.records(account.number, name))
      show(read, actionIn(action))
  }
  const { chats, contacts, labels } = read
  return {
    name: account.name ?? '',
    versions,
    chats: [...chats.values()],
    contacts: [...contacts.values()],
    labels: [...labels.values()].filter(({ name }) => name !== ''),
  }
}

/** Numbers of the account's contacts. */
export function contactsOf({ store }: Network, { number }: Account): Set<string> {
  const indexes = store.appState
    .records(number, 'critical_unblock_low')
    .map(({ action }) => actionIn(action).index)
  const named = indexes.filter(([kind]) => kind === 'contact')
  const accounts = named.map(([, jid]) => accountAt(store, parseAddress(jid)))
  return new Set(accounts.flatMap((account) => (account === undefined ? [] : [account.number])))
}

function actionIn(bytes: Uint8Array): Action {
  const { index, value } = proto.SyncActionData.decode(bytes)
  const named: string[] = JSON.parse(Buffer.from(index ?? []).toString())
  return { index: named, value: value ?? {}, at: Number(value?.timestamp ?? 0) }
}

function show(read: Read, { index, value, at }: Action) {
  const [kind = '', first = '', second = ''] = index
  const chat = () => chatIn(read, first)
  switch (kind) {
    case 'archive':
      chat().archived = value.archiveChatAction?.archived === true
      break
    case 'pin_v1':
      chat().pinned = value.pinAction?.pinned === true
      break
    case 'mute':
      chat().mutedUntil = value.muteAction?.muted ? Number(value.muteAction.muteEndTimestamp ?? -1) : null
      break
    case 'markChatAsRead':
      chat().read = value.markChatAsReadAction?.read === true
      break
    case 'star':
      if (value.starAction?.starred) chat().starred = [...(chat().starred ?? []), second]
      break
    case 'clearChat':
      chat().clearedAt = at
      break
    case 'deleteChat':
      chat().deletedAt = at
      break
    case 'contact': {
      const { fullName, firstName } = value.contactAction ?? {}
      const jid = neutral(first)
      read.contacts.set(jid, { jid, name: fullName ?? '', firstName: firstName ?? '' })
      break
    }
    case 'label_edit': {
      const { name, color, deleted } = value.labelEditAction ?? {}
      Object.assign(labelIn(read, first), { name: deleted ? '' : (name ?? ''), color: color ?? 0 })
      break
    }
    case 'label_jid':
      if (value.labelAssociationAction?.labeled) labelIn(read, first).chats.push(neutral(second))
      break
  }
}

function chatIn({ chats }: Read, jid: string): ChatSettings {
  const chat = neutral(jid)
  const settings = chats.get(chat) ?? { chat }
  chats.set(chat, settings)
  return settings
}

/** A chat may have a label that is not defined yet. */
function labelIn({ labels }: Read, labelid: string): Label {
  const label = labels.get(labelid) ?? { labelid, name: '', color: 0, chats: [] }
  labels.set(labelid, label)
  return label
}
