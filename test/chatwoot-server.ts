// A stand-in of Chatwoot: the routes of its application API for an inbox of the kind API, with its status codes, pages, files and callbacks.

import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { CALLBACK_SECRET, postCallback } from './chatwoot-callbacks.ts'

const TOKEN = 'an-access-token-of-an-agent'
const [ACCOUNT, INBOX] = [1, 5]
const PAGE = { contacts: 15, messages: 20, conversations: 20 }
interface Contact {
  id: number
  name: string
  identifier: string | null
  phone_number: string | null
  avatar_url: string
  contact_inboxes: { source_id: string; inbox: { id: number } }[]
}
interface Conversation {
  id: number
  inbox_id: number
  status: string
  contact: Contact
  source_id: string
}
interface StoredFile {
  id: number
  file_type: string
  name: string
  type: string
  bytes: Buffer
}
export interface ChatwootMessage {
  id: number
  conversation: Conversation
  content: string
  message_type: string
  private: boolean
  source_id: string | null
  status: string
  content_attributes: Record<string, unknown>
  files: StoredFile[]
  sender: object | null
}

const messageTypes = ['incoming', 'outgoing', 'activity', 'template']
const fileTypes = ['image', 'audio', 'video']
const createNotFound = (c: Context) => c.json({ error: 'Resource could not be found' }, 404)
const createInvalid = (c: Context, message: string, attribute: string) =>
  c.json({ message, attributes: [attribute] }, 422)

export class ChatwootServer {
  readonly contacts: Contact[] = []
  readonly conversations: Conversation[] = []
  readonly messages: ChatwootMessage[] = []
  /** The status of each callback, or why there was none. */
  readonly callbacks: { event: string; outcome: string }[] = []
  callbackUrl = ''
  /** Whether callbacks are signed, as since 4.13. */
  isSigning = true
  /** Larger files are refused. */
  maxFileBytes = 40 * 1024 * 1024
  /** Called for each request of the API, before it has its effect and after. `true` before: it has none. */
  watch: (moment: 'before' | 'after', request: string) => Promise<boolean> = async () => false
  #server: Server | undefined
  #lastId = 100

  readonly env = { ACCOUNT: String(ACCOUNT), INBOX: String(INBOX), CHATWOOT_TOKEN: TOKEN, CALLBACK_SECRET }

  get url(): string {
    const address = this.#server?.address() as AddressInfo
    return `http://127.0.0.1:${address.port}`
  }

  async start(): Promise<this> {
    const api = new Hono()
    api.use(async (c, next) => {
      if (c.req.header('api_access_token') !== TOKEN) return c.json({ error: 'Invalid Access Token' }, 401)
      const name = `${c.req.method} ${c.req.path.replace(/^.*accounts\/\d+/, '').replace(/\d+/g, ':id')}`
      if (await this.watch('before', name)) return c.json({ error: 'Service Unavailable' }, 503)
      await next()
      await this.watch('after', name)
    })
    this.#addContactRoutes(api)
    this.#addConversationRoutes(api)
    this.#addMessageRoutes(api)
    const app = new Hono().route(`/api/v1/accounts/${ACCOUNT}`, api)
    this.#addFileRoutes(app)
    await new Promise<void>((resolve) => {
      this.#server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => resolve()) as Server
    })
    return this
  }

  close(): void {
    this.#server?.closeAllConnections()
    this.#server?.close()
  }

  #addContactRoutes(api: Hono): void {
    const find = (id: string) => this.contacts.find((one) => one.id === Number(id))
    api.get('/contacts/search', (c) => {
      const words = (c.req.query('q') ?? '').trim()
      if (!words) return c.json({ error: 'Specify search string with parameter q' }, 422)
      const found = this.contacts.filter(({ name, phone_number, identifier }) =>
        [name, phone_number, identifier].some((field) => field?.includes(words)),
      )
      return c.json({
        meta: { count: found.length, current_page: 1 },
        payload: found.slice(0, PAGE.contacts),
      })
    })
    api.post('/contacts', async (c) => {
      const { name, identifier = null, phone_number = null, inbox_id } = await c.req.json()
      const wrong = this.#checkContact(c, identifier, phone_number)
      if (wrong) return wrong
      const contact = this.createContact(name, identifier, phone_number)
      if (inbox_id) contact.contact_inboxes.push({ source_id: randomUUID(), inbox: { id: inbox_id } })
      return c.json({ payload: { contact, contact_inbox: contact.contact_inboxes[0] } })
    })
    api.get('/contacts/:id', (c) => {
      const contact = find(c.req.param('id'))
      return contact ? c.json({ payload: contact }) : createNotFound(c)
    })
    api.put('/contacts/:id', async (c) => {
      const contact = find(c.req.param('id'))
      if (!contact) return createNotFound(c)
      const change = await c.req.json()
      const wrong = this.#checkContact(c, change.identifier, change.phone_number)
      if (wrong) return wrong
      return c.json({ payload: Object.assign(contact, change) })
    })
    api.post('/contacts/:id/contact_inboxes', async (c) => {
      const contact = find(c.req.param('id'))
      if (!contact) return createNotFound(c)
      const added = { source_id: randomUUID(), inbox: { id: (await c.req.json()).inbox_id } }
      contact.contact_inboxes.push(added)
      return c.json(added)
    })
    api.get('/contacts/:id/conversations', (c) => {
      const contact = find(c.req.param('id'))
      if (!contact) return createNotFound(c)
      const own = this.conversations.filter((one) => one.contact === contact).reverse()
      return c.json({ payload: own.slice(0, PAGE.conversations).map(this.#showConversation) })
    })
  }

  #checkContact(c: Context, identifier?: string | null, phone?: string | null) {
    if (phone && !/^\+[1-9]\d{1,14}$/.test(phone))
      return createInvalid(c, 'Phone number should be in e164 format', 'phone_number')
    if (identifier && this.contacts.some((one) => one.identifier === identifier))
      return createInvalid(c, 'Identifier has already been taken', 'identifier')
    if (phone && this.contacts.some((one) => one.phone_number === phone))
      return createInvalid(c, 'Phone number has already been taken', 'phone_number')
    return undefined
  }

  #addConversationRoutes(api: Hono): void {
    const find = (id: string) => this.conversations.find((one) => one.id === Number(id))
    api.post('/conversations', async (c) => {
      const { source_id, contact_id } = await c.req.json()
      const contact = this.contacts.find(({ id }) => id === contact_id)
      if (!contact?.contact_inboxes.some((one) => one.source_id === source_id)) return createNotFound(c)
      return c.json(this.#showConversation(this.createConversation(contact)))
    })
    api.get('/conversations/:id', (c) => {
      const conversation = find(c.req.param('id'))
      return conversation ? c.json(this.#showConversation(conversation)) : createNotFound(c)
    })
    api.post('/conversations/:id/toggle_status', async (c) => {
      const conversation = find(c.req.param('id'))
      if (!conversation) return createNotFound(c)
      this.changeStatus(conversation, (await c.req.json()).status)
      return c.json({ payload: { success: true, current_status: conversation.status } })
    })
  }

  #addMessageRoutes(api: Hono): void {
    const path = '/conversations/:conversation/messages'
    const findConversation = (c: Context) =>
      this.conversations.find((one) => one.id === Number(c.req.param('conversation')))
    const find = (c: Context) =>
      this.messages.find(
        ({ id, conversation }) => id === Number(c.req.param('id')) && conversation === findConversation(c),
      )
    api.get(path, (c) => {
      const conversation = findConversation(c)
      if (!conversation) return createNotFound(c)
      const before = Number(c.req.query('before') ?? Number.POSITIVE_INFINITY)
      const all = this.messages.filter((one) => one.conversation === conversation && one.id < before)
      return c.json({ meta: {}, payload: all.slice(-PAGE.messages).map((one) => this.#showMessage(one)) })
    })
    api.post(path, async (c) => {
      const conversation = findConversation(c)
      if (!conversation) return createNotFound(c)
      const fields = await this.#readMessage(c)
      if (fields.files.some(({ bytes }: StoredFile) => bytes.length > this.maxFileBytes))
        return c.json({ error: 'Validation failed: File size is too big' }, 422)
      return c.json(this.#showMessage(this.#storeMessage(conversation, fields)))
    })
    api.patch(`${path}/:id`, async (c) => {
      const message = find(c)
      if (!message) return createNotFound(c)
      const { status, external_error } = await c.req.json()
      if (message.status !== 'read' || status !== 'delivered') {
        message.status = status
        this.#changeAttributes(message, { external_error: status === 'failed' ? external_error : undefined })
      }
      return c.json(this.#showMessage(message))
    })
    api.delete(`${path}/:id`, (c) => {
      const message = find(c)
      if (!message) return createNotFound(c)
      this.deleteMessage(message)
      return c.body(null, 200)
    })
  }

  async #readMessage(c: Context) {
    if (!c.req.header('content-type')?.startsWith('multipart/')) {
      const body = await c.req.json()
      return { ...body, files: [], content_attributes: body.content_attributes ?? {} }
    }
    const form = await c.req.formData()
    const files: StoredFile[] = []
    for (const file of form.getAll('attachments[]') as unknown as File[])
      files.push(this.#createFile(file.name, file.type, Buffer.from(await file.arrayBuffer())))
    const fields = Object.fromEntries([...form].filter(([, value]) => typeof value === 'string'))
    const content_attributes = JSON.parse(String(fields.content_attributes ?? '{}'))
    return { ...fields, files, content_attributes, private: fields.private === 'true' }
  }

  #createFile(name: string, type: string, bytes: Buffer): StoredFile {
    const file_type = fileTypes.find((one) => type.startsWith(`${one}/`)) ?? 'file'
    return { id: this.#createId(), file_type, name, type, bytes }
  }

  /** A file's address leads to another one, where it is. */
  #addFileRoutes(app: Hono): void {
    const find = (id: string) =>
      this.messages.flatMap(({ files }) => files).find((one) => one.id === Number(id))
    app.get('/rails/active_storage/blobs/redirect/:id/:name', (c) =>
      c.redirect(`/rails/active_storage/disk/${c.req.param('id')}/${c.req.param('name')}`),
    )
    app.get('/rails/active_storage/disk/:id/:name', async (c) => {
      const file = find(c.req.param('id'))
      if (!file) return c.notFound()
      await this.watch('before', 'GET file')
      return c.body(new Uint8Array(file.bytes), 200, { 'content-type': file.type })
    })
  }

  #createId = (): number => ++this.#lastId

  createContact(name: string, identifier: string | null, phone_number: string | null): Contact {
    const contact = {
      id: this.#createId(),
      name,
      identifier,
      phone_number,
      avatar_url: '',
      contact_inboxes: [],
    }
    this.contacts.push(contact)
    return contact
  }

  createConversation(contact: Contact): Conversation {
    contact.contact_inboxes[0] ??= { source_id: randomUUID(), inbox: { id: INBOX } }
    const { source_id } = contact.contact_inboxes[0]
    const conversation = { id: this.#createId(), inbox_id: INBOX, status: 'open', contact, source_id }
    this.conversations.push(conversation)
    return conversation
  }

  #storeMessage(
    conversation: Conversation,
    fields: Partial<ChatwootMessage> & { external_created_at?: string },
  ): ChatwootMessage {
    const { content = '', message_type = 'outgoing', source_id = null, files = [], sender = null } = fields
    const content_attributes = { ...fields.content_attributes }
    const own = this.messages.filter((one) => one.conversation === conversation)
    const { in_reply_to, in_reply_to_external_id } = content_attributes
    if (in_reply_to || in_reply_to_external_id) {
      const found = own.find(({ id, source_id: source }) =>
        in_reply_to ? id === in_reply_to : source === in_reply_to_external_id,
      )
      content_attributes.in_reply_to = found?.id ?? null
      content_attributes.in_reply_to_external_id = found?.source_id ?? null
    }
    if (fields.external_created_at) content_attributes.external_created_at = fields.external_created_at
    const isPrivate = fields.private === true
    const named = { id: this.#createId(), conversation, source_id, sender, files, private: isPrivate }
    const message = { ...named, content, message_type, status: 'sent', content_attributes }
    this.messages.push(message)
    if (message_type === 'incoming' && conversation.status === 'resolved')
      this.changeStatus(conversation, 'open')
    void this.#callBack('message_created', message)
    return message
  }

  /** As an agent does it in the browser. */
  writeAsAgent(
    conversation: Conversation,
    content: string,
    more: { private?: boolean; replyTo?: number; files?: [name: string, type: string, bytes: Buffer][] } = {},
  ): ChatwootMessage {
    return this.#storeMessage(conversation, {
      content,
      private: more.private ?? false,
      sender: { id: 1, name: 'Clara', email: 'clara@shop.example', type: 'user' },
      content_attributes: more.replyTo ? { in_reply_to: more.replyTo } : {},
      files: (more.files ?? []).map((file) => this.#createFile(...file)),
    })
  }

  deleteMessage(message: ChatwootMessage): void {
    message.content = 'This message was deleted'
    message.files = []
    message.content_attributes = { deleted: true }
    void this.#callBack('message_updated', message)
  }

  retryAsAgent(message: ChatwootMessage): void {
    message.status = 'sent'
    this.#changeAttributes(message, { external_error: undefined })
  }

  #changeAttributes(message: ChatwootMessage, attributes: object): void {
    message.content_attributes = JSON.parse(JSON.stringify({ ...message.content_attributes, ...attributes }))
    void this.#callBack('message_updated', message)
  }

  changeStatus(conversation: Conversation, status: string): void {
    conversation.status = status
    const body = { event: 'conversation_status_changed', ...this.#showConversation(conversation) }
    void this.#post(body)
  }

  async #callBack(event: string, message: ChatwootMessage): Promise<void> {
    const { id, conversation, content, content_attributes, message_type, source_id, sender, files } = message
    const fields = { event, id, content, content_attributes, message_type, source_id, sender }
    const body = {
      ...fields,
      private: message.private,
      created_at: new Date().toISOString(),
      content_type: 'text',
      account: { id: ACCOUNT, name: 'Shop' },
      inbox: { id: INBOX, name: 'Phone' },
      conversation: this.#showConversation(conversation),
      ...(files.length > 0 && { attachments: files.map((file) => this.#showFile(file)) }),
    }
    const failure = await this.#post(body)
    if (!failure || (event !== 'message_created' && event !== 'message_updated')) return
    message.status = 'failed'
    message.content_attributes = { ...message.content_attributes, external_error: failure }
  }

  /** Returns why the callback failed. */
  async #post(payload: object & { event: string }): Promise<string | undefined> {
    if (!this.callbackUrl) return undefined
    const outcome = await postCallback(this.callbackUrl, JSON.stringify(payload), this.isSigning)
    this.callbacks.push({ event: payload.event, outcome })
    return /^2/.test(outcome) ? undefined : outcome
  }

  #showConversation = ({ id, inbox_id, status, contact, source_id }: Conversation) => {
    const { contact_inboxes: _, ...sender } = contact
    const channel = 'Channel::Api'
    return { id, inbox_id, status, channel, contact_inbox: { source_id }, meta: { sender }, messages: [] }
  }

  #showFile({ id, file_type, name, bytes }: StoredFile) {
    const data_url = `${this.url}/rails/active_storage/blobs/redirect/${id}/${encodeURIComponent(name)}`
    return { id, file_type, account_id: ACCOUNT, extension: null, data_url, file_size: bytes.length }
  }

  #showMessage({ conversation, message_type, files, ...message }: ChatwootMessage) {
    const attachments = files.map((file) => this.#showFile(file))
    return {
      ...message,
      message_type: messageTypes.indexOf(message_type),
      conversation_id: conversation.id,
      attachments,
    }
  }
}
