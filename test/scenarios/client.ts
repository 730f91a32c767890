// What a driver under test can do, in words that belong to no driver: people are numbers, groups are ids, files are bytes.

import type { MediaKind } from './network.ts'

export type Outcome = { kind: 'done' } | { kind: 'refused'; code: number } | { kind: 'unknown' }

/** A message, by the one who names it. */
export interface Target {
  id: string
  chat: string
  /** Of the account itself. */
  fromMe: boolean
  sender: string
}

export type Content =
  | { text: string; quoted?: Target }
  | { place: { latitude: number; longitude: number; name: string } }
  | { card: { name: string; vcard: string } }
  | { poll: { name: string; choices: string[] } }
  | { file: Buffer; as: MediaKind | 'sticker'; caption?: string }
  | { reaction: string; to: Target }
  | { edit: string; of: Target }
  | { revoke: Target }

export interface Sent extends Target {
  outcome: Outcome
}

export interface ReceivedMessage extends Target {
  /** As the inbox of a phone calls it; `vote` and `undecryptable` besides. */
  type: string
  text: string
  /** The message that it changes or reacts to; empty for none. */
  target: string
  downloadFile(): Promise<Buffer>
  /** Of a vote. */
  listChoices(): Promise<string[]>
}

export type Progress = 'delivered' | 'read' | 'played'

/** `on` for what is switched, the text for what has one. */
export interface Setting {
  what: 'archive' | 'pin' | 'mute' | 'read' | 'star' | 'contact' | 'label' | 'label_chat'
  /** A number, or a label's id. */
  of: string
  value: string | boolean
}

export interface GroupMember {
  number: string
  role: 'member' | 'admin' | 'superadmin'
}

export interface Closing {
  code: number
  /** What the driver makes of it; only our own makes something of it. */
  kind?: string
}

export interface ReceivedCall {
  id: string
  from: string
  state: string
}

/** A method that a driver does not have throws it. */
export class Lacking extends Error {
  override name = 'Lacking'
}

export interface Client {
  /** Begins a pairing; the text of its first QR code. */
  showQr(): Promise<string>
  /** Begins a pairing by code for this number; the code. */
  showCode(number: string): Promise<string>
  /** Logs in with the keys that it has. */
  login(): Promise<void>
  /** Begins a login whose end is a matter of the scenario. */
  tryLogin(): Promise<void>
  isOnline(): boolean
  /** The end of the newest connection. */
  waitUntilClosed(): Promise<Closing>
  leave(): Promise<void>

  readonly received: ReceivedMessage[]
  readonly receipts: { id: string; progress: Progress }[]
  readonly settings: Setting[]
  readonly calls: ReceivedCall[]
  /** Ids of the groups that the network reported the account to be in, and the changes of groups as `verb number`. */
  readonly groups: string[]
  readonly groupChanges: { group: string; change: string }[]

  /** Waits no longer than this for the network's verdict. */
  send(to: string, content: Content, withinMs?: number): Promise<Sent>
  markRead(message: Target): Promise<Outcome>
  showTyping(chat: string, state: 'composing' | 'recording' | 'paused'): Promise<void>
  showPresence(on: boolean): Promise<void>
  rejectCall(call: ReceivedCall): Promise<Outcome>
  isOnNetwork(number: string): Promise<boolean>
  unlink(): Promise<void>

  createGroup(subject: string, people: string[]): Promise<string>
  changeMembers(
    group: string,
    action: 'add' | 'remove' | 'promote' | 'demote',
    people: string[],
  ): Promise<void>
  renameGroup(group: string, subject: string): Promise<Outcome>
  describeGroup(group: string, text: string): Promise<Outcome>
  restrictGroup(group: string, to: 'announce' | 'lock'): Promise<Outcome>
  readInviteCode(group: string): Promise<string>
  joinGroup(code: string): Promise<string>
  leaveGroup(group: string): Promise<Outcome>
  listMembers(group: string): Promise<GroupMember[]>

  changeSetting(setting: Setting, newest?: Target): Promise<void>
  blockNumber(number: string): Promise<void>
  setName(name: string): Promise<void>
}
