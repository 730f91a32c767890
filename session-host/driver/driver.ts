// What a session needs of a messaging network, in the gateway's own words. One socket a connection; it never reconnects.

import type { AccountNetwork } from './account.ts'
import type { Answer } from './answer.ts'
import type { NetworkCall } from './calls.ts'
import type { GroupChange, GroupNetwork, NetworkGroup } from './groups.ts'
import type { MediaNetwork } from './media.ts'
import type {
  Ack,
  ContentToSend,
  EncodedMessage,
  MessageKey,
  NetworkMessage,
  Receipt,
  Restriction,
} from './messages.ts'
import type { Person } from './person.ts'
import type { SettingChange, SettingsNetwork } from './settings.ts'

export type * from './account.ts'
export type * from './answer.ts'
export type * from './calls.ts'
export type * from './groups.ts'
export type * from './media.ts'
export type * from './messages.ts'
export type * from './person.ts'
export type * from './settings.ts'

/** Why a socket ended. What follows from it is decided in sessions/reconnect-policy.ts. */
export const closingKinds = [
  'unreachable',
  'lost',
  'restart',
  'logged_out',
  'banned',
  'mismatch',
  'replaced',
  'pairing_expired',
  'bad_session',
  'storage',
] as const
export interface Closing {
  kind: (typeof closingKinds)[number]
  /** The network's own number, for the log. */
  code: number
  message: string
}

/** `unfinished`: keys of a pairing that never ended, good for nothing. */
export type Credential = 'none' | 'unfinished' | 'linked'

export class CredentialUnreadable extends Error {}

export interface Account {
  jid: string
  lid: string
  profileName: string
}

export interface ConnectionEvents {
  qr(text: string, validMs: number): void
  code(code: string): void
  /** Logged in: the network took the credential. */
  open(account: Account): void
  /** The account's own name has become known or has changed. */
  named(profileName: string): void
  /** Fulfilled when they are on disk; what is not is told again by the next connection. */
  messages(messages: NetworkMessage[]): Promise<void>
  receipts(receipts: Receipt[]): void
  ack(ack: Ack): void
  /** The account has come into a group, or has founded one. */
  groupJoined(group: NetworkGroup, by: Person): void
  groupChanged(change: GroupChange): void
  call(call: NetworkCall): void
  /** Changed by another device of the account, or found when this one caught up. */
  settings(changes: SettingChange[]): void
  /** All groups, because the network said that what was known of them is stale. */
  groupsListed(groups: NetworkGroup[]): void
  /** What the account may not do for a while, or may do again. */
  restricted(restriction: Restriction): void
  /** The last thing a connection says. */
  closed(closing: Closing): void
}

export interface NumberCheck {
  /** As it was asked for. */
  jid: string
  person: Person
  exists: boolean
  verifiedName: string
}

export const presences = ['composing', 'recording', 'paused'] as const
export type Presence = (typeof presences)[number]

export interface Connection {
  /** Refused with 404 when the number has no account. Asks the network only for numbers that it has not met. */
  findAccount(jid: string, deadline: AbortSignal): Promise<Answer<Person>>
  /** The other spelling of a person's id, from what the network has told before; never asks. */
  knownAs(jid: string): Promise<Person>
  /** Who of these numbers has an account, all asked for at once. */
  checkNumbers(jids: string[], deadline: AbortSignal): Promise<Answer<NumberCheck[]>>
  /** Undefined when a message of this kind cannot be changed so. */
  encode(content: ContentToSend): EncodedMessage | undefined
  /** Done when the server has acknowledged it, refused when it did so with an error. */
  send(
    messageid: string,
    to: string,
    encoded: Uint8Array,
    deadline: AbortSignal,
    /** Of a status post: who is to see it. */
    audience?: string[],
  ): Promise<Answer>
  /** The message has arrived, as something else than its ack tells: whoever waits for that is answered. */
  proven(messageid: string): void
  /** Done when written: nobody answers it. */
  showPresence(chat: string, presence: Presence, deadline: AbortSignal): Promise<Answer>
  /** Done when the network has read whatever was written before, also what it does not answer. */
  heard(deadline: AbortSignal): Promise<Answer>
  /** Done when the network has read the receipts. */
  markRead(keys: MessageKey[], deadline: AbortSignal): Promise<Answer>
  rejectCall(callid: string, creator: string, deadline: AbortSignal): Promise<Answer>
  readonly groups: GroupNetwork
  readonly media: MediaNetwork
  readonly account: AccountNetwork
  readonly settings: SettingsNetwork
  /** Removes this device from the account; done only if the network said so. */
  unlink(deadline: AbortSignal): Promise<Answer>
  /** Ends the socket without logging out; nothing is told after it. */
  close(): Promise<void>
}

export interface ConnectOptions {
  instance: string
  /** Start a new identity in place of what is stored. */
  fresh: boolean
  /** Digits: pair by code in place of QR. */
  phone?: string
  /** URL of the proxy to connect by, for everything of this connection. */
  proxy?: string
  events: ConnectionEvents
}

/** A vote and its poll in their encoded forms, and who wrote them, in all spellings that are known. */
export interface SealedVote {
  poll: Uint8Array
  pollid: string
  creators: string[]
  vote: Uint8Array
  voters: string[]
}

/** Others choose their ids as they like: where a message is, and whose, makes it certain. */
export interface MessagePlace {
  /** Spellings of one chat. */
  chats: string[]
  /** In a group; empty for anybody. */
  author: string
  fromMe: boolean
}

/** Answers the encoded form of a message that is stored already: of this chat, under any of its spellings, and by this author. */
export type FindStored = (
  instance: string,
  messageid: string,
  place: MessagePlace,
) => Promise<Uint8Array<ArrayBuffer> | null | undefined>

/** Answers a stored group, for which a message is about to be encrypted. */
export type FindGroup = (instance: string, jid: string) => Promise<NetworkGroup | undefined>

export interface Driver {
  /** What is stored of the device. Throws CredentialUnreadable when it does not open. */
  credential(instance: string): Promise<Credential>
  /** Throws CredentialUnreadable; whatever happens afterwards is told by the events. */
  connect(options: ConnectOptions): Promise<Connection>
  /** What an edit, in its encoded form, makes of the message that it changes. */
  editedForm(edit: Uint8Array): Uint8Array<ArrayBuffer>
  /** What a vote chose; undefined when it does not open, or is for another poll. */
  choicesOf(vote: SealedVote): string[] | undefined
  /** Forgets the device's keys. */
  forget(instance: string): Promise<void>
}
