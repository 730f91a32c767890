// Messages as a driver tells them and takes them, and what becomes of them.

import type { FileToSend, StoredFile } from './media.ts'
import type { Person } from './person.ts'

export type MessageType =
  | 'text'
  | 'media'
  | 'location'
  | 'contact'
  | 'poll'
  /** In the poll that `target` names; what was chosen is sealed with the poll's secret. */
  | 'vote'
  | 'reaction'
  /** Changes the text of `target`. */
  | 'edit'
  /** Takes `target` back, for everyone. */
  | 'delete'
  /** Could not be read; `text` says why. */
  | 'undecryptable'
  | 'other'

/** What a message says, in either direction. */
export interface MessageContent {
  messageType: string
  type: MessageType
  mediaType: string
  text: string
  /** The messageid that it answers. */
  quoted: string
  /** The messageid that it reacts to. */
  reaction: string
  /** The messageid that it edits or deletes. */
  target: string
  /** What else there is to say of its kind: a place, a card, a file. */
  content: Record<string, unknown>
}

export interface NetworkMessage extends MessageContent {
  messageid: string
  /** The chat by phone number where that is known, else as addressed. */
  chat: Person
  sender: Person
  senderName: string
  isGroup: boolean
  fromMe: boolean
  /** Who wrote the message that it reacts to, edits or deletes; empty where its sender did not say. */
  targetAuthor: string
  /** Milliseconds since the epoch. */
  at: number
  /** What the network says became of an own message. */
  progress?: Progress
  /** The network's own form, for resends and for what refers to it. */
  encoded: Uint8Array<ArrayBuffer>
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

export interface Restriction {
  kind: 'reachout_timelock' | 'new_chat_cap'
  active: boolean
  /** Milliseconds since the epoch, 0 when the network does not say. */
  until: number
  /** Of a cap: how many there may be, and how many there are. */
  total?: number
  used?: number
}

/** A stored message: its encoded form, and who wrote it. */
export interface StoredMessage {
  messageid: string
  sender: string
  encoded: Uint8Array
}

export interface MessageKey {
  messageid: string
  chatid: string
  /** Who wrote it, as it was addressed. */
  sender: string
  isGroup: boolean
}

export interface OwnKey {
  messageid: string
  fromMe: boolean
  chatid: string
  sender: string
  isGroup: boolean
}

interface Said {
  mentions?: string[]
  quoted?: StoredMessage
  /** Shown as forwarded. */
  forwarded?: boolean
}

export interface TextLook {
  /** As `#rrggbb`. */
  background: string
  font: number
}

export type ContentToSend =
  /** `look`: of a status post. */
  | ({ kind: 'text'; text: string; look?: TextLook } & Said)
  | ({ kind: 'location'; latitude: number; longitude: number; name: string; address: string } & Said)
  /** `selectable`: 0 for all. */
  | ({ kind: 'poll'; text: string; choices: string[]; selectable: number } & Said)
  | ({ kind: 'contact'; displayName: string; vcard: string } & Said)
  /** An empty text takes an earlier reaction back. */
  | { kind: 'reaction'; target: OwnKey; text: string; at: number }
  | { kind: 'edit'; target: OwnKey; encoded: Uint8Array; text: string; at: number }
  | { kind: 'delete'; target: OwnKey }
  | { kind: 'forward'; encoded: Uint8Array }
  /** Without `stored`, the form under which it is kept until its file is on the network. */
  | ({ kind: 'media'; file: FileToSend; stored?: StoredFile } & Said)

/** The form under which a message is stored before it is sent, and what it says. */
export interface EncodedMessage {
  encoded: Uint8Array<ArrayBuffer>
  said: MessageContent
}
