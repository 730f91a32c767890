// Messages as a driver reports and sends them, with their receipts and acks; and those of the history that a phone sends.

import type { MenuCard, MenuForm } from '@msgnet/shared/contract/menu-choices.ts'
import type { FileToSend, StoredFile } from './media-network.ts'
import type { OwnKey } from './message-keys.ts'
import type { Person } from './person.ts'

export type MessageType =
  | 'text'
  | 'media'
  | 'location'
  | 'contact'
  | 'poll'
  /** A vote in the poll that `target` names; its choices are encrypted with the poll's secret. */
  | 'vote'
  /** Buttons, a list, a carousel or a product: `content.choices`. */
  | 'menu'
  | 'reaction'
  /** Changes the text of `target`. */
  | 'edit'
  /** Deletes `target` for everyone. */
  | 'delete'
  /** Pins `target` in its chat for everyone, or unpins it; its content says until when. */
  | 'pin'
  /** Keeps `target` in a chat of disappearing messages, or no longer; its content says which. */
  | 'keep'
  /** Changes after how many seconds messages of the chat disappear. */
  | 'timer'
  /** Could not be decrypted; `text` says why. */
  | 'undecryptable'
  /** Of a kind that is not read here: its content has the name, the number and the bytes of its field. */
  | 'unsupported'
  | 'other'

/** The choice that somebody made in a menu: its id, and its words. */
export interface MenuAnswer {
  id: string
  text: string
}

/** After how many seconds messages of a chat disappear, 0 if they stay, and when that was set in milliseconds, 0 where it is not said. */
export interface ChatTimer {
  seconds: number
  setAt: number
}

/** The content of a message, sent or received. */
export interface MessageContent {
  messageType: string
  type: MessageType
  mediaType: string
  text: string
  /** The messageid that it quotes. */
  quoted: string
  /** The messageid that it reacts to. */
  reaction: string
  /** The messageid that it edits, deletes or pins. */
  target: string
  /** The people whom it mentions, and the author of the message that it quotes, by the ids that its sender used. */
  mentioned?: string[]
  quotedAuthor?: string
  /** It mentions all members of its group. */
  mentionsAll?: boolean
  /** Further fields by its kind: a place, a contact card, a file. */
  content: Record<string, unknown>
  /** Of a tap. */
  answer?: MenuAnswer
  /** It disappears, as the messages of its chat did when it was written; of a `timer`, as they do from now on. */
  timer?: ChatTimer
  /** Encrypted under the secret of `target`: what it says is not known yet. */
  sealed?: boolean
  /** Some of it was too large, or too much, and is left out. */
  truncated?: boolean
}

export interface NetworkMessage extends MessageContent {
  messageid: string
  /** The chat by phone number if that is known, else as addressed. */
  chat: Person
  sender: Person
  senderName: string
  isGroup: boolean
  fromMe: boolean
  /** The author of the message that it reacts to, edits, deletes or pins; empty if its sender did not name the author. */
  targetAuthor: string
  /** Milliseconds since the epoch. */
  at: number
  /** The progress of an own message, as the network reports it. */
  progress?: Progress
  /** It came long after it was sent. */
  late?: boolean
  /** The network's own form, for resends and for messages that refer to it. */
  encoded: Uint8Array<ArrayBuffer>
}

export type Progress = 'Sent' | 'Delivered' | 'Read' | 'Played' | 'Failed'

export interface Receipt {
  messageid: string
  progress: Progress
  chat: Person
  /** The person who received or read it. */
  by: Person
  isGroup: boolean
  /** True for an own message; false when another device of ours read a received one. */
  own: boolean
  at: number
}

/** The server's acknowledgement of a sent message. `code` if it was refused. */
export interface Ack {
  messageid: string
  code?: number
  /** The attributes of a refusal other than its code, for operators: names and values of attributes. */
  details?: string
}

export interface Restriction {
  kind: 'reachout_timelock' | 'new_chat_cap'
  active: boolean
  /** Milliseconds since the epoch, 0 when the network does not say. */
  until: number
  /** For a cap: the number allowed, and the number used. */
  total?: number
  used?: number
}

/** A stored message: its encoded form and its author. */
export interface StoredMessage {
  messageid: string
  sender: string
  encoded: Uint8Array
}

interface MessageContext {
  mentions?: string[]
  mentionsAll?: boolean
  quoted?: StoredMessage
  /** Shown as forwarded. */
  forwarded?: boolean
}

/** Of the link in a text. */
export interface LinkPreviewToSend {
  /** The link, as it stands in the text. */
  matchedText: string
  title: string
  description: string
  /** A JPEG. */
  thumbnail: Uint8Array | undefined
}

export interface TextLook {
  /** As `#rrggbb`. */
  background: string
  font: number
}

/** Buttons and lists have one card. Empty texts where the caller gave none. */
export interface MenuToSend {
  form: MenuForm
  text: string
  footer: string
  listButton: string
  cards: MenuCard[]
  /** In the order in which cards name them by their places; none before they are uploaded. */
  pictures: StoredPicture[]
  /** The network gets its text only. */
  asText: boolean
}

/** Times are milliseconds; empty words are left out. */
export interface EventToSend {
  name: string
  description: string
  startTime: number
  endTime?: number | undefined
  locationName: string
  address: string
  joinLink: string
  cancelled: boolean
}

export interface StoredPicture {
  mimetype: string
  stored: StoredFile
}

export type ContentToSend =
  /** `look`: the look of a status post. */
  | ({ kind: 'text'; text: string; look?: TextLook; preview?: LinkPreviewToSend } & MessageContext)
  | ({
      kind: 'location'
      latitude: number
      longitude: number
      name: string
      address: string
    } & MessageContext)
  /** `selectable`: 0 for all. */
  | ({ kind: 'poll'; text: string; choices: string[]; selectable: number } & MessageContext)
  | ({ kind: 'menu'; menu: MenuToSend } & MessageContext)
  | ({ kind: 'event'; event: EventToSend } & MessageContext)
  /** How many files follow, each of which names it. */
  | ({ kind: 'album'; images: number; videos: number } & MessageContext)
  | ({ kind: 'contact'; displayName: string; vcard: string } & MessageContext)
  /** An empty text removes an earlier reaction. */
  | { kind: 'reaction'; target: OwnKey; text: string; at: number }
  | { kind: 'edit'; target: OwnKey; encoded: Uint8Array; text: string; at: number }
  | { kind: 'delete'; target: OwnKey }
  /** `seconds`: how long it stays pinned; 0 unpins it. */
  | { kind: 'pin'; target: OwnKey; seconds: number; at: number }
  | { kind: 'forward'; encoded: Uint8Array }
  /** Messages of the chat disappear after so many seconds; 0 for not any more. */
  | { kind: 'timer'; seconds: number; at: number }
  /** Without `stored`, the form that is stored until the file is on the network. `album`: the one that it is a part of. */
  | ({ kind: 'media'; file: FileToSend; stored?: StoredFile; album?: OwnKey } & MessageContext)

/** A message in the form that is stored before it is sent, and its content. */
export interface EncodedMessage {
  encoded: Uint8Array<ArrayBuffer>
  decoded: MessageContent
}

export interface HistoryChunk {
  /**
   * Of its kind: the chats' newest messages, what a phone sends by itself, all that it has, the answer to a request, and the past of a
   * group that a member shares with this account.
   */
  kind: 'first' | 'recent' | 'full' | 'requested' | 'shared'
  /** The number that the phone gave to it. */
  chunk: number
  /** Percent of its kind, as the phone counts it. */
  progress: number
}

/** A message of the history; the name of its chat is the one that the phone has for it. */
export interface PastMessage extends NetworkMessage {
  chatName: string
  /** Its place among the messages of its chat, as the phone counts them; absent where it does not. */
  order?: number
  /** With the words of its last edit. */
  isEdited?: boolean
  /** Those that stand with it; each person has one. */
  reactions?: PastReaction[]
}

export interface PastReaction {
  sender: Person
  fromMe: boolean
  text: string
}

export interface HistoryPage extends HistoryChunk {
  /** As the phone sends them: the newest of a chat first. */
  messages: PastMessage[]
}

export interface HistoryRequest {
  /** The message that the requested ones are before. */
  before: { messageid: string; chatid: string; fromMe: boolean; at: number }
  count: number
}
