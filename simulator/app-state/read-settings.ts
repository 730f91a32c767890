// An account's settings as its phone shows them: chats, contacts, labels and the account's own name.
import { proto } from '../codec/protobuf.ts'
import { findAccount, parseAddress, toNeutralJid } from '../network/address.ts'
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'
import { COLLECTIONS, readCollection } from './apply-patch.ts'

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
type SettingMaps = {
  chats: Map<string, ChatSettings>
  contacts: Map<string, { jid: string; name: string; firstName: string }>
  labels: Map<string, Label>
}
type Action = { index: string[]; value: proto.ISyncActionValue; at: number }

export function readSettings(network: Network, account: Account) {
  const read: SettingMaps = { chats: new Map(), contacts: new Map(), labels: new Map() }
  const versions: Record<string, number> = {}
  for (const name of COLLECTIONS) {
    versions[name] = readCollection(network, account, name).version
    for (const { action } of network.store.appState.listRecords(account.number, name))
      applyAction(read, decodeAction(action))
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
export function listContacts({ store }: Network, { number }: Account): Set<string> {
  const indexes = store.appState
    .listRecords(number, 'critical_unblock_low')
    .map(({ action }) => decodeAction(action).index)
  const named = indexes.filter(([kind]) => kind === 'contact')
  const accounts = named.map(([, jid]) => findAccount(store, parseAddress(jid)))
  return new Set(accounts.flatMap((account) => (account === undefined ? [] : [account.number])))
}

function decodeAction(bytes: Uint8Array): Action {
  const { index, value } = proto.SyncActionData.decode(bytes)
  const named: string[] = JSON.parse(Buffer.from(index ?? []).toString())
  return { index: named, value: value ?? {}, at: Number(value?.timestamp ?? 0) }
}

function applyAction(read: SettingMaps, { index, value, at }: Action) {
  const [kind = '', first = '', second = ''] = index
  const getChat = () => ensureChat(read, first)
  switch (kind) {
    case 'archive':
      getChat().archived = value.archiveChatAction?.archived === true
      break
    case 'pin_v1':
      getChat().pinned = value.pinAction?.pinned === true
      break
    case 'mute':
      getChat().mutedUntil = value.muteAction?.muted ? Number(value.muteAction.muteEndTimestamp ?? -1) : null
      break
    case 'markChatAsRead':
      getChat().read = value.markChatAsReadAction?.read === true
      break
    case 'star':
      if (value.starAction?.starred) getChat().starred = [...(getChat().starred ?? []), second]
      break
    case 'clearChat':
      getChat().clearedAt = at
      break
    case 'deleteChat':
      getChat().deletedAt = at
      break
    case 'contact': {
      const { fullName, firstName } = value.contactAction ?? {}
      const jid = toNeutralJid(first)
      read.contacts.set(jid, { jid, name: fullName ?? '', firstName: firstName ?? '' })
      break
    }
    case 'label_edit': {
      const { name, color, deleted } = value.labelEditAction ?? {}
      Object.assign(ensureLabel(read, first), { name: deleted ? '' : (name ?? ''), color: color ?? 0 })
      break
    }
    case 'label_jid':
      if (value.labelAssociationAction?.labeled) ensureLabel(read, first).chats.push(toNeutralJid(second))
      break
  }
}

function ensureChat({ chats }: SettingMaps, jid: string): ChatSettings {
  const chat = toNeutralJid(jid)
  const settings = chats.get(chat) ?? { chat }
  chats.set(chat, settings)
  return settings
}

/** A chat may have a label that is not defined yet. */
function ensureLabel({ labels }: SettingMaps, labelid: string): Label {
  const label = labels.get(labelid) ?? { labelid, name: '', color: 0, chats: [] }
  labels.set(labelid, label)
  return label
}
