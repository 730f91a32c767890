// The driver interface: what a session needs from a messaging network. A connection is one socket; it never reconnects.

import type { HistoryMode } from '@msgnet/shared/contract/history.ts'
import type { ImportRow } from '@msgnet/shared/contract/import-lines.ts'
import type { KeyedUsername } from '@msgnet/shared/jid.ts'
import type { AccountNetwork } from './account-network.ts'
import type { GroupChange, GroupNetwork, NetworkGroup } from './group-network.ts'
import type { MediaNetwork } from './media-network.ts'
import type { MessageKey, OwnKey } from './message-keys.ts'
import type {
  Ack,
  ChatTimer,
  ContentToSend,
  EncodedMessage,
  HistoryChunk,
  HistoryPage,
  HistoryRequest,
  MessageContent,
  NetworkMessage,
  Receipt,
  Restriction,
} from './network-messages.ts'
import type { NetworkOutcome } from './network-outcome.ts'
import type { PasskeyStep, SendAssertion } from './passkey-step.ts'
import type { KnownName, Person } from './person.ts'
import type { SettingChange, SettingsNetwork } from './settings-network.ts'

export type * from './account-network.ts'
export type * from './group-network.ts'
export type * from './media-network.ts'
export type * from './message-keys.ts'
export type * from './network-messages.ts'
export type * from './network-outcome.ts'
export type * from './passkey-step.ts'
export type * from './person.ts'
export type * from './settings-network.ts'

/** Why a socket ended. `sessions/reconnect-policy.ts` decides what follows. */
export const closingKinds = [
  'unreachable',
  'lost',
  'restart',
  'logged_out',
  'banned',
  'mismatch',
  'outdated',
  'replaced',
  'pairing_expired',
  'passkey_required',
  'pairing_refused',
  'bad_session',
  'storage',
] as const
export interface Closing {
  kind: (typeof closingKinds)[number]
  /** The network's code, for the log. */
  code: number
  message: string
  /** How the network itself ended it, for the log and the metrics: `stream:error 503`, `stream:error ack`, `failure 405`. */
  networkWords?: string
}

/** A word of the network that the driver does not know: its place, and its name there. */
export interface UnknownWord {
  kind: 'stanza' | 'ib' | 'iq' | 'notification' | 'nack' | 'failure' | 'stream_error' | 'message'
  name: string
}

/** `unfinished`: keys of a pairing that was never completed; they are of no use. */
export type CredentialState = 'none' | 'unfinished' | 'linked'

export class CredentialUnreadable extends Error {}

export interface Account {
  jid: string
  lid: string
  profileName: string
}

export interface NetworkCall {
  callid: string
  creator: Person
  /** Empty in a call between two people. */
  group: string
  isVideo: boolean
  isGroup: boolean
  state: 'offer' | 'ringing' | 'accept' | 'reject' | 'timeout' | 'terminate'
  /** Milliseconds since the epoch. */
  at: number
}

/** What happens to the connection itself. */
interface SocketEvents {
  onQr(text: string, validMs: number): void
  onCode(code: string): void
  /** The account demands a passkey: no QR or code follows. Reported again after each change of it. */
  onPasskey(step: PasskeyStep): void
  /** Logged in: the network accepted the credential. */
  onOpen(account: Account): void
  /** Everything that waited in the queue of the network has come. */
  onCaughtUp(): void
  /** The account's own name has become known or has changed. */
  onNamed(profileName: string): void
  onUnknownWord(word: UnknownWord): void
  /** A message that only clients need, by its kind: keys, settings of devices. It makes no record. */
  onProtocolMessage(name: string): void
  /** The last event of a connection. */
  onClosed(closing: Closing): void
}

/** What the network tells of people, chats and messages. */
export interface NewsEvents {
  /** Resolves when they are on disk; messages that are not are reported again by the next connection. */
  onMessages(messages: NetworkMessage[]): Promise<void>
  onReceipts(receipts: Receipt[]): void
  onAck(ack: Ack): void
  /** The account has joined a group, or has created one. */
  /** `at`: when, in milliseconds since the epoch; undefined for now. */
  onGroupJoined(group: NetworkGroup, by: Person, at?: number): void
  onGroupChanged(change: GroupChange): void
  /** How a group addresses its members, as each of its notices says; usually unchanged. */
  onGroupAddressed(jid: string, addressing: NetworkGroup['addressing']): void
  onCall(call: NetworkCall): void
  /** The names that the phone has for people, from the history that it sends after linking. */
  onPeopleNamed(names: KnownName[]): void
  /** Some messages of the history that was asked for. Resolves when they are on disk, and when the next may come. */
  onHistoryPage(page: HistoryPage): Promise<void>
  /** All messages of the chunk were reported. Resolves when that is on disk; a chunk without this is read again. */
  onHistoryChunk(chunk: HistoryChunk): Promise<void>
  /** Changed by another device of the account, or found when this one caught up. */
  onSettings(changes: SettingChange[]): void
  /** A person has gone online or offline, or types. */
  onPresence(news: NetworkPresence): void
  /** All groups, after the network reported that the known list is stale. */
  onGroupsListed(groups: NetworkGroup[]): void
  /** A group as it is now, because the stored one was old. Resolves when it is on disk. */
  onGroupRenewed(group: NetworkGroup): Promise<void>
  /** A limit on the account has begun or ended. */
  onRestricted(restriction: Restriction): void
}

export type ConnectionEvents = SocketEvents & NewsEvents

export interface NumberCheck {
  /** The jid as requested. */
  jid: string
  person: Person
  /** Undefined when the network's response leaves the number out. */
  exists: boolean | undefined
  verifiedName: string
}

export interface UsernameCheck {
  /** Without ids if `needsKey`, or if nobody has the name. */
  person: Person
  /** Undefined when the network's response does not say it. */
  exists: boolean | undefined
  /** Its owner gives the ids only to those who know a key, and it was not sent or is another one. */
  needsKey: boolean
  verifiedName: string
}

export const presences = ['composing', 'recording', 'paused'] as const
export type Presence = (typeof presences)[number]

export interface NetworkPresence {
  /** As addressed: the person, or the group. */
  chat: string
  /** As addressed; in a group the member who types. */
  by: string
  state: 'available' | 'unavailable' | Presence
  /** Milliseconds since the epoch; 0 where it is not shown. */
  lastSeen: number
}

export interface Connection {
  /** For a pairing whose account demands a passkey. */
  sendAssertion: SendAssertion
  /**
   * Refused with 404 when the network says that the number has no account, prevented when its response leaves the number out. Asks the
   * network only for numbers without a known mapping. The person's number may be the other form of a country that has two.
   */
  findAccount(jid: string, deadline: AbortSignal): Promise<NetworkOutcome<Person>>
  /** Both ids of a person's id, from stored mappings and from earlier answers about other forms of a number; never asks the network. */
  findKnownIds(jid: string): Promise<Person>
  /** Which of these numbers have an account, under this form or the other one of their country, in one request. */
  checkNumbers(jids: string[], deadline: AbortSignal): Promise<NetworkOutcome<NumberCheck[]>>
  /** Who has these usernames, in their order, in a request for each. */
  checkUsernames(usernames: KeyedUsername[], deadline: AbortSignal): Promise<NetworkOutcome<UsernameCheck[]>>
  /** Undefined when a message of this kind cannot be edited or forwarded. `timer`: that of its chat. */
  encode(content: ContentToSend, timer?: ChatTimer): EncodedMessage | undefined
  /** Done when the server has acknowledged it, refused when it did so with an error. */
  send(
    messageid: string,
    to: string,
    encoded: Uint8Array,
    deadline: AbortSignal,
    /** The audience of a status post. */
    audience?: string[],
  ): Promise<NetworkOutcome>
  /** Another event than the ack proved that the message was sent: a `send` that waits for the ack is done. */
  confirmSent(messageid: string): void
  /** Done when written, because the network does not answer it. */
  showPresence(chat: string, presence: Presence, deadline: AbortSignal): Promise<NetworkOutcome>
  /** The same before a message: without it the message is sent all the same. */
  showTyping(chat: string, presence: Presence, deadline: AbortSignal): Promise<NetworkOutcome>
  /** Done when written. It ends with the connection, and the network shows others only to those who are online. */
  subscribePresence(chat: string, deadline: AbortSignal): Promise<NetworkOutcome>
  /** Done when the network has read everything written before, also frames that it does not answer. */
  confirmRead(deadline: AbortSignal): Promise<NetworkOutcome>
  /** Done when the network has read the receipts. */
  markRead(keys: MessageKey[], deadline: AbortSignal): Promise<NetworkOutcome>
  /** Done when the network has the request for the phone, which answers it with a chunk of history. */
  requestHistory(request: HistoryRequest, deadline: AbortSignal): Promise<NetworkOutcome>
  /** Done when the network has the request for the phone, which answers it with the message as one that arrives. */
  requestResend(key: OwnKey, deadline: AbortSignal): Promise<NetworkOutcome>
  rejectCall(callid: string, creator: string, deadline: AbortSignal): Promise<NetworkOutcome>
  readonly groups: GroupNetwork
  readonly media: MediaNetwork
  readonly account: AccountNetwork
  readonly settings: SettingsNetwork
  /** Removes this device from the account; done only if the network confirms it. */
  unlink(deadline: AbortSignal): Promise<NetworkOutcome>
  /** Ends the socket without logging out; no event follows. */
  close(): Promise<void>
}

export interface ConnectOptions {
  instance: string
  /** Start with a new identity in place of the stored one. */
  fresh: boolean
  /** Digits of the phone, for a pairing by code in place of QR. */
  phone?: string
  /** What is reported of the history; none by default. */
  history?: HistoryMode
  /** URL of the proxy for everything that this connection does. */
  proxy?: string
  events: ConnectionEvents
}

/** A vote and its poll in their encoded forms, and their authors by all known ids. */
export interface SealedVote {
  poll: Uint8Array
  pollid: string
  creators: string[]
  vote: Uint8Array
  voters: string[]
}

/** A message that is encrypted under the secret of `target`, both in their encoded forms, and their authors by all known ids. */
export interface SealedMessage {
  target: Uint8Array
  targetid: string
  authors: string[]
  sealed: Uint8Array
  writers: string[]
}

/** What a sealed message says, as if it had come unsealed. */
export interface OpenedMessage {
  content: MessageContent
  encoded: Uint8Array<ArrayBuffer>
}

/** The chat and author of a message: senders choose its id, so the id alone does not identify it. */
export interface MessagePlace {
  /** Ids of one chat. */
  chats: string[]
  /** In a group; empty for any author. */
  author: string
  fromMe: boolean
  /** Milliseconds since the epoch: an older message is not meant. */
  since?: number
}

/** Finds the encoded form of a stored message in this chat, by any of its ids, and by this author. */
export type FindStoredMessage = (
  instance: string,
  messageid: string,
  place: MessagePlace,
) => Promise<Uint8Array<ArrayBuffer> | null | undefined>

/** Finds a stored group, so that a message can be encrypted for it. */
export type FindGroup = (instance: string, jid: string) => Promise<NetworkGroup | undefined>

/** The credential of a device that another program of the library has linked, row by row. */
export interface CredentialImport {
  /** Undefined if the row was taken; else a sentence that says why not. */
  addRow(row: ImportRow): string | undefined
  /** The same for a line as it came, of a row behind `creds`, in another thread. Returns its kind if it was taken. */
  addLargeLine(line: Uint8Array): Promise<string | { kind: string }>
  /** No more rows come. */
  close(): void
  /** After the last: what `creds` name and no row is, as such a sentence. */
  findGap(): string | undefined
  /** Of all rows, `creds` among them. */
  finish(): Promise<ImportedCredential>
}

/** A key of a device, in the form in which it is stored once it is sealed. */
export interface StoredKey {
  kind: string
  id: string
  value: Uint8Array<ArrayBuffer>
}

export interface ImportedCredential {
  account: Account
  keys: StoredKey[]
}

export interface Driver {
  /** The state of the stored credential. Throws CredentialUnreadable if it cannot be opened. */
  readCredentialState(instance: string): Promise<CredentialState>
  /** Throws CredentialUnreadable; everything after that is reported by the events. */
  connect(options: ConnectOptions): Promise<Connection>
  /** Equal for messages of the same upload, and only for those; empty where the message does not prove which file it is. */
  identifyFile(encoded: Uint8Array): string
  /** The message as an encoded edit changes it: with its own secret and file, which later changes and downloads need. */
  applyEdit(original: Uint8Array, edit: Uint8Array): Uint8Array<ArrayBuffer>
  /** Whether it is encrypted under the secret of another message, in a form that is brought into that of others. */
  isSealed(encoded: Uint8Array): boolean
  /** Undefined if it cannot be decrypted with the secret of its target. */
  openSealed(message: SealedMessage): OpenedMessage | undefined
  /** The poll with one more choice; undefined if it has that choice, or as many as a poll can have. */
  addChoice(poll: Uint8Array, choice: string): Uint8Array<ArrayBuffer> | undefined
  /** The choices of a vote; undefined if it cannot be decrypted, or is for another poll. */
  decryptVote(vote: SealedVote): string[] | undefined
  /** `account`: the id that `creds` must be of. */
  beginImport(account: string): CredentialImport
  /** Deletes the device's keys. */
  deleteCredential(instance: string): Promise<void>
}
