// An inbox of the stand-in of Chatwoot: what it stores, what its agents and automations do, and which callbacks follow.

import { randomUUID } from 'node:crypto'
import { postCallback } from './chatwoot-callbacks.ts'
import {
  type Agent,
  type ChatwootMessage,
  type Contact,
  type ContactInbox,
  type Conversation,
  describeConversation,
  describeMessage,
  INBOX,
  type StoredFile,
  statuses,
} from './chatwoot-records.ts'

const fileTypes = ['image', 'audio', 'video']
const CLARA: Agent = { id: 1, name: 'Clara', email: 'clara@shop.example', type: 'user' }
const BOT: Agent = { id: 3, name: 'Bot', email: '', type: 'agent_bot' }

export interface MessageFields extends Partial<Omit<ChatwootMessage, 'id' | 'conversation'>> {
  external_created_at?: string | undefined
}

export abstract class ChatwootInbox {
  abstract readonly url: string
  readonly contacts: Contact[] = []
  readonly conversations: Conversation[] = []
  readonly messages: ChatwootMessage[] = []
  /** The status of each callback, or why there was none. */
  readonly callbacks: { event: string; outcome: string }[] = []
  callbackUrl = ''
  /** Whether callbacks are signed, as since 4.13. */
  isSigning = true
  /** Sent to whoever writes in a conversation that has no message of ours yet. */
  greeting = ''
  /** Asked once in each conversation, when it is resolved. */
  survey = ''
  readonly ownerOfToken: Agent = { id: 2, name: 'Bridge', email: 'bridge@shop.example', type: 'user' }
  /** Each kind is counted for itself, so the same numbers come again and again. */
  readonly #lastIds = { contact: 0, conversation: 0, message: 0, file: 0 }

  #createId = (kind: 'contact' | 'conversation' | 'message' | 'file'): number => {
    this.#lastIds[kind] += 1
    return this.#lastIds[kind]
  }

  createContact(name: string, identifier: string | null, phone_number: string | null): Contact {
    const id = this.#createId('contact')
    const contact = { id, name, identifier, phone_number, thumbnail: '', contact_inboxes: [] }
    this.contacts.push(contact)
    return contact
  }

  /** With a source that the contact has there, that one. */
  joinInbox(contact: Contact, source_id: string = randomUUID()): ContactInbox {
    const there = contact.contact_inboxes.find((one) => one.source_id === source_id)
    if (there) return there
    const added = { id: contact.id, source_id, inbox_id: INBOX.id }
    contact.contact_inboxes.push(added)
    return added
  }

  createConversation(contact: Contact, source_id?: string): Conversation {
    const contact_inbox = this.joinInbox(contact, source_id ?? contact.contact_inboxes[0]?.source_id)
    const id = this.#createId('conversation')
    const conversation = { id, status: 'open', contact, contact_inbox, last_activity_at: Date.now() }
    this.conversations.push(conversation)
    this.#reportConversation('conversation_created', conversation)
    return conversation
  }

  createFile(name: string, type: string, bytes: Buffer): StoredFile {
    const file_type = fileTypes.find((one) => type.startsWith(`${one}/`)) ?? 'file'
    return { id: this.#createId('file'), file_type, name, type, bytes }
  }

  listMessages = (conversation: Conversation): ChatwootMessage[] =>
    this.messages.filter((one) => one.conversation === conversation)

  storeMessage(conversation: Conversation, fields: MessageFields): ChatwootMessage {
    const { content = '', message_type = 'outgoing', source_id = null, files = [], sender = null } = fields
    const message: ChatwootMessage = {
      id: this.#createId('message'),
      conversation,
      content,
      content_type: fields.content_type ?? 'text',
      message_type,
      private: fields.private === true,
      source_id,
      status: 'sent',
      content_attributes: this.#completeAttributes(conversation, fields),
      files,
      sender,
      created_at: Date.now(),
    }
    this.messages.push(message)
    conversation.last_activity_at = message.created_at
    const isReopening = ['resolved', 'snoozed'].includes(conversation.status)
    if (message_type === 'incoming' && isReopening) this.changeStatus(conversation, 'open')
    void this.#reportMessage('message_created', message)
    if (message_type !== 'activity') this.#greet(conversation)
    return message
  }

  /** A reply names its message by either id, and gets both. */
  #completeAttributes(conversation: Conversation, fields: MessageFields): Record<string, unknown> {
    const attributes = { ...fields.content_attributes }
    const { in_reply_to: id, in_reply_to_external_id: external } = attributes
    if (id || external) {
      const found = this.listMessages(conversation).find((one) =>
        id ? one.id === Number(id) : one.source_id === external,
      )
      attributes.in_reply_to = found?.id ?? null
      attributes.in_reply_to_external_id = found?.source_id ?? null
    }
    if (fields.external_created_at) attributes.external_created_at = fields.external_created_at
    return attributes
  }

  #greet(conversation: Conversation): void {
    const types = this.listMessages(conversation).map(({ message_type }) => message_type)
    const isFirst = types.includes('incoming') && !types.includes('outgoing') && !types.includes('template')
    if (this.greeting && isFirst)
      this.storeMessage(conversation, { content: this.greeting, message_type: 'template' })
  }

  /** As an agent does it in the browser. */
  writeAsAgent(
    conversation: Conversation,
    content: string,
    more: { private?: boolean; replyTo?: number; files?: [name: string, type: string, bytes: Buffer][] } = {},
  ): ChatwootMessage {
    const typing = { user: CLARA, conversation: describeConversation(conversation), is_private: false }
    void this.#post({ event: 'conversation_typing_on', ...typing })
    return this.storeMessage(conversation, {
      content,
      private: more.private ?? false,
      sender: CLARA,
      content_attributes: more.replyTo ? { in_reply_to: more.replyTo } : {},
      files: (more.files ?? []).map((file) => this.createFile(...file)),
    })
  }

  writeAsBot(conversation: Conversation, content: string): ChatwootMessage {
    return this.storeMessage(conversation, { content, sender: BOT })
  }

  /** An automation is no person: its message has no sender. */
  writeAsAutomation(conversation: Conversation, content: string): ChatwootMessage {
    return this.storeMessage(conversation, { content, content_attributes: { automation_rule_id: 7 } })
  }

  deleteMessage(message: ChatwootMessage): void {
    message.files = []
    this.#change(message, { content: 'This message was deleted', content_attributes: { deleted: true } })
  }

  retryAsAgent(message: ChatwootMessage): void {
    this.updateStatus(message, 'sent')
    this.#change(message, { content_attributes: {} })
  }

  /** An unknown status, and a delivery after a reading, change nothing. */
  updateStatus(message: ChatwootMessage, status: string, error?: string): void {
    if (!statuses.includes(status) || (message.status === 'read' && status === 'delivered')) return
    const external_error = status === 'failed' ? (error ?? null) : null
    const isSame = (message.content_attributes.external_error ?? null) === external_error
    const content_attributes = isSame
      ? message.content_attributes
      : { ...message.content_attributes, external_error }
    this.#change(message, { status, content_attributes })
  }

  /** What stays as it is is no change, and has no callback. */
  #change(message: ChatwootMessage, change: Partial<ChatwootMessage>): void {
    const { conversation: _, files: __, ...before } = message
    if (JSON.stringify({ ...before, ...change }) === JSON.stringify(before)) return
    Object.assign(message, change)
    void this.#reportMessage('message_updated', message)
  }

  changeStatus(conversation: Conversation, status: string): void {
    if (conversation.status === status) return
    conversation.status = status
    const content = `Conversation was marked ${status} by ${CLARA.name}`
    this.storeMessage(conversation, { content, message_type: 'activity' })
    this.#reportConversation('conversation_status_changed', conversation)
    this.#reportConversation('conversation_updated', conversation)
    if (status === 'resolved') this.#askForOpinion(conversation)
  }

  #askForOpinion(conversation: Conversation): void {
    const content_type = 'input_csat'
    if (!this.survey || this.listMessages(conversation).some((one) => one.content_type === content_type))
      return
    this.storeMessage(conversation, { content: this.survey, message_type: 'template', content_type })
  }

  #reportConversation(event: string, conversation: Conversation): void {
    void this.#post({ event, ...describeConversation(conversation) })
  }

  /** A message whose callback fails is marked as failed, which is a change of it. */
  async #reportMessage(event: string, message: ChatwootMessage): Promise<void> {
    if (message.message_type === 'activity') return
    const failure = await this.#post({ event, ...describeMessage(message, this.url) })
    if (failure) this.updateStatus(message, 'failed', failure)
  }

  /** Returns why the callback failed. */
  async #post(payload: object & { event: string }): Promise<string | undefined> {
    if (!this.callbackUrl) return undefined
    const outcome = await postCallback(this.callbackUrl, JSON.stringify(payload), this.isSigning)
    this.callbacks.push({ event: payload.event, outcome })
    return /^2/.test(outcome) ? undefined : outcome
  }
}
