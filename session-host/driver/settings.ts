// The settings that the account's devices have in common: as a driver tells them, and as it is asked to change them.

import type { Answer } from './answer.ts'
import type { Person } from './person.ts'

/** Times are milliseconds since the epoch. What is absent has not changed. */
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
  /** Without a name he is no contact any more. */
  | { kind: 'contact'; person: Person; name: string; firstName: string }
  | { kind: 'label'; labelid: string; name: string; color: number; deleted: boolean }
  | { kind: 'label_chat'; labelid: string; chat: Person; labeled: boolean }
  | { kind: 'blocked'; person: Person; blocked: boolean }
  /** All whom the account blocks, and nobody else. */
  | { kind: 'block_list'; people: Person[] }

/** The newest message of a chat: changes that concern its messages say up to which. */
export interface NewestMessage {
  messageid: string
  fromMe: boolean
  sender: string
  isGroup: boolean
  at: number
}

export interface SettingsNetwork {
  /** Done once the phone has given this device the keys of its settings; silent when it does not. */
  ready(deadline: AbortSignal): Promise<Answer>
  /** Asks for what was set before this device was there; it is told by the events. Asked once, it is done. */
  catchUp(deadline: AbortSignal): Promise<Answer>
  /** What the account is called. */
  rename(name: string, deadline: AbortSignal): Promise<Answer>
  archive(
    chat: Person,
    on: boolean,
    newest: NewestMessage | undefined,
    deadline: AbortSignal,
  ): Promise<Answer>
  pin(chat: Person, on: boolean, deadline: AbortSignal): Promise<Answer>
  /** `until` as in SettingChange. */
  mute(chat: Person, until: number, deadline: AbortSignal): Promise<Answer>
  clear(chat: Person, newest: NewestMessage | undefined, deadline: AbortSignal): Promise<Answer>
  remove(chat: Person, newest: NewestMessage | undefined, deadline: AbortSignal): Promise<Answer>
  addContact(person: Person, name: { full: string; first: string }, deadline: AbortSignal): Promise<Answer>
  removeContact(person: Person, deadline: AbortSignal): Promise<Answer>
  label(
    labelid: string,
    label: { name: string; color: number; deleted: boolean },
    deadline: AbortSignal,
  ): Promise<Answer>
  labelChat(labelid: string, chat: Person, on: boolean, deadline: AbortSignal): Promise<Answer>
}
