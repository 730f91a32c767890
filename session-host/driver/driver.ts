// What a session needs of a messaging network, in the gateway's own words. One socket a connection; it never reconnects.

/** Told apart, because silence is neither success nor refusal. */
export type Answer<Value = void> =
  | { kind: 'done'; value: Value }
  /** `code` is the network's own number. */
  | { kind: 'refused'; code: number; message?: string }
  | { kind: 'silent'; message?: string }

/** Why a socket ended. What follows from it is decided in sessions/closing.ts. */
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

/** Both forms of an id where the network told both, else the empty string. */
export interface Person {
  id: string
  pn: string
  lid: string
}

export interface NetworkMessage {
  messageid: string
  /** The chat by phone number where that is known, else as addressed. */
  chat: Person
  sender: Person
  senderName: string
  isGroup: boolean
  fromMe: boolean
  /** Milliseconds since the epoch. */
  at: number
  messageType: string
  type: string
  mediaType: string
  text: string
  /** The messageid that it answers. */
  quoted: string
  /** The messageid that it reacts to. */
  reaction: string
  /** What the network says became of an own message. */
  progress?: Progress
  /** The network's own form, for resends and quotes. */
  wire: Uint8Array<ArrayBuffer>
}

export type Progress = 'Sent' | 'Delivered' | 'Read' | 'Played' | 'Failed'

export interface Receipt {
  messageid: string
  progress: Progress
  chat: Person
  /** Who received or read it. */
  by: Person
  isGroup: boolean
  /** The message was ours; false when another device of ours read what somebody wrote. */
  ours: boolean
  at: number
}

/** The server's word on a message that was sent. `code` when it was refused. */
export interface Ack {
  messageid: string
  code?: number
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
  /** The last thing a connection says. */
  closed(closing: Closing): void
}

export interface TextToSend {
  text: string
  mentions: string[]
  /** What it answers: a stored message's wire form, and who wrote it. */
  quoted?: { messageid: string; sender: string; wire: Uint8Array }
}

export interface MessageKey {
  messageid: string
  chatid: string
  /** Who wrote it, as it was addressed. */
  sender: string
  isGroup: boolean
}

export interface Connection {
  /** Refused with 404 when the number has no account. Asks the network only for numbers that it has not met. */
  findAccount(jid: string, deadline: AbortSignal): Promise<Answer<Person>>
  /** The other spelling of a person's id, from what the network has told before; never asks. */
  knownAs(jid: string): Promise<Person>
  /** The wire form under which a text is stored before it is sent. */
  encodeText(text: TextToSend): Uint8Array<ArrayBuffer>
  /** Done when the server has acknowledged it, refused when it did so with an error. */
  send(messageid: string, to: string, wire: Uint8Array, deadline: AbortSignal): Promise<Answer>
  showTyping(chat: string, typing: boolean): Promise<void>
  markRead(keys: MessageKey[], deadline: AbortSignal): Promise<Answer>
  /** Removes this device from the account; done only if the network said so. */
  unlink(deadline: AbortSignal): Promise<Answer>
  /** Ends the socket without logging out; nothing is told after it. */
  close(): Promise<void>
}

export interface Attempt {
  instance: string
  /** Start a new identity in place of what is stored. */
  fresh: boolean
  /** Digits: pair by code in place of QR. */
  phone?: string
  events: ConnectionEvents
}

/** Answers a stored own message's wire form, for a device that could not read it. */
export type FindSent = (instance: string, messageid: string) => Promise<Uint8Array<ArrayBuffer> | undefined>

export interface Driver {
  /** What is stored of the device. Throws CredentialUnreadable when it does not open. */
  credential(instance: string): Promise<Credential>
  /** Throws CredentialUnreadable; whatever happens afterwards is told by the events. */
  connect(attempt: Attempt): Promise<Connection>
  /** Forgets the device's keys. */
  forget(instance: string): Promise<void>
}
