// The settings that all devices of an account share: their changes as a driver reports them, and the calls that change them.

import type { OwnKey } from './message-keys.ts'
import type { ChatTimer } from './network-messages.ts'
import type { NetworkOutcome } from './network-outcome.ts'
import type { Person } from './person.ts'

/** Times are milliseconds since the epoch. An absent field has not changed. */
export type SettingChange =
  | {
      kind: 'chat'
      chat: Person
      archived?: boolean
      pinned?: boolean
      /** 0 for not muted, -1 for ever. */
      mutedUntil?: number
    }
  | { kind: 'chat_deleted'; chat: Person }
  /** As the phone knew it. */
  | { kind: 'timer'; chat: Person; timer: ChatTimer }
  /** Without a name the person is no longer a contact. */
  | { kind: 'contact'; person: Person; name: string; firstName: string }
  | { kind: 'label'; labelid: string; name: string; color: number; deleted: boolean }
  | { kind: 'label_chat'; labelid: string; chat: Person; labeled: boolean }
  | { kind: 'blocked'; person: Person; blocked: boolean }
  | { kind: 'star'; chat: Person; messageid: string; fromMe: boolean; starred: boolean }
  /** The whole list of blocked people. */
  | { kind: 'block_list'; people: Person[] }

/** The newest message of a chat: a change to its messages names the last one that it covers. */
export interface NewestMessage {
  messageid: string
  fromMe: boolean
  sender: string
  isGroup: boolean
  at: number
}

export interface SettingsNetwork {
  /** Done once the phone has shared the keys of its settings with this device; unknown if it does not. */
  waitUntilReady(deadline: AbortSignal): Promise<NetworkOutcome>
  /** Requests, once, the settings from before this device was linked; they arrive as events. */
  catchUp(deadline: AbortSignal): Promise<NetworkOutcome>
  /** Changes the account's own name. */
  setProfileName(name: string, deadline: AbortSignal): Promise<NetworkOutcome>
  setArchived(
    chat: Person,
    on: boolean,
    newest: NewestMessage | undefined,
    deadline: AbortSignal,
  ): Promise<NetworkOutcome>
  setPinned(chat: Person, on: boolean, deadline: AbortSignal): Promise<NetworkOutcome>
  /** `until` as in SettingChange. */
  setMuted(chat: Person, until: number, deadline: AbortSignal): Promise<NetworkOutcome>
  setStarred(chat: Person, message: OwnKey, on: boolean, deadline: AbortSignal): Promise<NetworkOutcome>
  clearChat(chat: Person, newest: NewestMessage | undefined, deadline: AbortSignal): Promise<NetworkOutcome>
  deleteChat(chat: Person, newest: NewestMessage | undefined, deadline: AbortSignal): Promise<NetworkOutcome>
  addContact(
    person: Person,
    name: { full: string; first: string },
    deadline: AbortSignal,
  ): Promise<NetworkOutcome>
  removeContact(person: Person, deadline: AbortSignal): Promise<NetworkOutcome>
  saveLabel(
    labelid: string,
    label: { name: string; color: number; deleted: boolean },
    deadline: AbortSignal,
  ): Promise<NetworkOutcome>
  labelChat(labelid: string, chat: Person, on: boolean, deadline: AbortSignal): Promise<NetworkOutcome>
}
