// What the stand-in of Chatwoot stores, and the two forms in which it shows it: in the responses of its API, and in its callbacks.

import { createHash } from 'node:crypto'

export const ACCOUNT = { id: 1, name: 'Shop' }
export const INBOX = { id: 5, name: 'Phone' }

export interface Contact {
  id: number
  name: string
  identifier: string | null
  phone_number: string | null
  /** The link of the picture that Chatwoot has fetched; empty until then. */
  thumbnail: string
  contact_inboxes: ContactInbox[]
}

export interface ContactInbox {
  id: number
  source_id: string
  inbox_id: number
}

export interface Conversation {
  /** Counted in each account, so it is the id of some message and of some contact as well. */
  id: number
  status: string
  contact: Contact
  contact_inbox: ContactInbox
  last_activity_at: number
}

export interface StoredFile {
  id: number
  file_type: string
  name: string
  type: string
  bytes: Buffer
}

export interface Agent {
  id: number
  name: string
  email: string
  type: 'user' | 'agent_bot'
}

export interface ChatwootMessage {
  id: number
  conversation: Conversation
  content: string | null
  content_type: string
  message_type: string
  private: boolean
  source_id: string | null
  status: string
  content_attributes: Record<string, unknown>
  files: StoredFile[]
  sender: Agent | Contact | null
  /** Milliseconds. */
  created_at: number
}

export const messageTypes = ['incoming', 'outgoing', 'activity', 'template']
export const statuses = ['sent', 'delivered', 'read', 'failed']
const toSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1000)
const isAgent = (sender: Agent | Contact): sender is Agent => 'type' in sender

/** A part of a file's link, which nobody can guess. */
export const signFile = ({ id }: StoredFile): string => {
  const about = Buffer.from(JSON.stringify({ blob: id })).toString('base64url')
  return `${about}--${createHash('sha1').update(`of the stand-in ${about}`).digest('hex')}`
}

export function showFile(file: StoredFile, message_id: number, url: string) {
  const { id, file_type, name, type, bytes } = file
  const place = `${url}/rails/active_storage/blobs/redirect/${signFile(file)}/${encodeURIComponent(name)}`
  const isSound = file_type === 'audio'
  return {
    id,
    message_id,
    file_type,
    account_id: ACCOUNT.id,
    extension: /\.(\w+)$/.exec(name)?.[1] ?? null,
    content_type: type,
    data_url: isSound ? `${place}?disposition=inline` : place,
    thumb_url: file_type === 'image' ? `${url}/rails/active_storage/representations/${id}` : '',
    file_size: bytes.length,
    width: null,
    height: null,
    ...(isSound && { transcribed_text: '' }),
  }
}

const describeContact = ({ id, name, identifier, phone_number, thumbnail }: Contact) => ({
  id,
  name,
  identifier,
  phone_number,
  email: null,
  blocked: false,
  thumbnail,
  additional_attributes: {},
  custom_attributes: {},
})

const showPerson = (sender: Agent | Contact) =>
  isAgent(sender)
    ? { id: sender.id, name: sender.name, available_name: sender.name, type: sender.type, thumbnail: '' }
    : { ...describeContact(sender), type: 'contact' }

/** In the API. */
export function showContact(contact: Contact) {
  const contact_inboxes = contact.contact_inboxes.map(showContactInbox)
  return { ...describeContact(contact), availability_status: 'offline', contact_inboxes }
}

export const showContactInbox = ({ source_id, inbox_id }: ContactInbox) => ({
  source_id,
  inbox: { ...INBOX, id: inbox_id, channel_type: 'Channel::Api' },
})

/** In the API: a number for the type, seconds for the time, and no key of files or of a sender without one. */
export function showMessage(message: ChatwootMessage, url: string) {
  const { conversation, message_type, files, sender, created_at, ...rest } = message
  return {
    ...rest,
    inbox_id: INBOX.id,
    conversation_id: conversation.id,
    message_type: messageTypes.indexOf(message_type),
    created_at: toSeconds(created_at),
    ...(sender && { sender: showPerson(sender) }),
    ...(files.length > 0 && { attachments: files.map((file) => showFile(file, message.id, url)) }),
  }
}

/** In the API. */
export const showConversation = ({ id, status, contact, last_activity_at }: Conversation) => ({
  id,
  status,
  account_id: ACCOUNT.id,
  inbox_id: INBOX.id,
  labels: [],
  messages: [],
  last_activity_at: toSeconds(last_activity_at),
  meta: { sender: showContact(contact), channel: 'Channel::Api', hmac_verified: false },
})

/** In a callback. */
export const describeConversation = ({
  id,
  status,
  contact,
  contact_inbox,
  last_activity_at,
}: Conversation) => ({
  id,
  status,
  account: ACCOUNT,
  inbox_id: INBOX.id,
  channel: 'Channel::Api',
  can_reply: true,
  labels: [],
  messages: [],
  contact_inbox: { ...contact_inbox, contact_id: contact.id, hmac_verified: false },
  meta: { sender: showPerson(contact), assignee: null, team: null, hmac_verified: false },
  last_activity_at: toSeconds(last_activity_at),
})

/** In a callback, as in the API, a line of the editor ends with a backslash; here it is plain. */
const normalizeContent = (content: string | null): string | null =>
  content?.replace(/\\\r?\n/g, '\n').replace(/(\r?\n)+$/, '') ?? null

const describeSender = (sender: Agent | Contact) =>
  isAgent(sender) ? sender : { ...describeContact(sender), avatar: sender.thumbnail, account: ACCOUNT }

/** In a callback: a word for the type, a date for the time. */
export function describeMessage(message: ChatwootMessage, url: string) {
  const { id, conversation, content, content_type, content_attributes, message_type } = message
  const { source_id, sender, files, created_at } = message
  return {
    id,
    content: normalizeContent(content),
    content_type,
    content_attributes,
    additional_attributes: {},
    message_type,
    private: message.private,
    source_id,
    created_at: new Date(created_at).toISOString(),
    sender: sender && describeSender(sender),
    account: ACCOUNT,
    inbox: INBOX,
    conversation: describeConversation(conversation),
    ...(files.length > 0 && { attachments: files.map((file) => showFile(file, id, url)) }),
  }
}
