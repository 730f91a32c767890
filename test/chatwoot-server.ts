// A stand-in of Chatwoot 4.15: the routes of its application API for an inbox of the kind API, with its status codes, pages, limits, files and callbacks.

import type { Server } from 'node:http'
import { get } from 'node:https'
import { serve } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { CALLBACK_SECRET } from './chatwoot-callbacks.ts'
import { ChatwootInbox, type MessageFields } from './chatwoot-inbox.ts'
import {
  ACCOUNT,
  type Contact,
  type ContactInbox,
  INBOX,
  messageTypes,
  type StoredFile,
  showContact,
  showContactInbox,
  showConversation,
  showMessage,
  signFile,
} from './chatwoot-records.ts'

const TOKEN = 'an-access-token-of-an-agent'
const PAGE = { contacts: 15, messages: 20, conversations: 20 }
const MAX_FILES = 15
const MAX_CONTENT = 150_000
const MINUTE_MS = 60_000
const PICTURE = /^image\/(jpeg|png|gif|webp)/
const PHONE = /^\+[1-9]\d{1,14}$/
/** What the API lets a caller change of a contact. */
const contactFields = ['name', 'identifier', 'phone_number'] as const

const createNotFound = (c: Context) => c.json({ error: 'Resource could not be found' }, 404)
const createUnprocessable = (c: Context, error: string) => c.json({ error }, 422)
const createInvalid = (c: Context, message: string, attribute: string) =>
  c.json({ message, attributes: [attribute] }, 422)

export class ChatwootServer extends ChatwootInbox {
  /** A proxy before Chatwoot refuses requests with larger files; Chatwoot itself does not, in this kind of inbox. */
  maxFileBytes = 40 * 1024 * 1024
  /** In one conversation. */
  maxMessagesPerMinute = 200
  /** Called for each request of the API, before it has its effect and after. `true` before: it has none. */
  watch: (moment: 'before' | 'after', request: string) => Promise<boolean> = async () => false
  /** From `start` on. Stays when it is closed: a callback that fails then is still reported. */
  url = ''
  #server: Server | undefined

  readonly env = {
    ACCOUNT: String(ACCOUNT.id),
    INBOX: String(INBOX.id),
    CHATWOOT_TOKEN: TOKEN,
    CALLBACK_SECRET,
  }

  async start(): Promise<this> {
    const api = new Hono()
    api.use(async (c, next) => {
      if (c.req.header('api_access_token') !== TOKEN) return c.json({ error: 'Invalid Access Token' }, 401)
      const name = `${c.req.method} ${c.req.path.replace(/^.*accounts\/\d+/, '').replace(/\d+/g, ':id')}`
      if (await this.watch('before', name)) return c.text('Service Unavailable', 503)
      await next()
      await this.watch('after', name)
    })
    this.#addContactRoutes(api)
    this.#addConversationRoutes(api)
    this.#addMessageRoutes(api)
    const app = new Hono().route(`/api/v1/accounts/${ACCOUNT.id}`, api)
    this.#addFileRoutes(app)
    await new Promise<void>((resolve) => {
      this.#server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
        this.url = `http://127.0.0.1:${port}`
        resolve()
      }) as Server
    })
    return this
  }

  close(): void {
    this.#server?.closeAllConnections()
    this.#server?.close()
  }

  #findContact = (id: unknown) => this.contacts.find((one) => one.id === Number(id))
  #findConversation = (id: unknown) => this.conversations.find((one) => one.id === Number(id))

  #addContactRoutes(api: Hono): void {
    api.get('/contacts/search', (c) => {
      const words = (c.req.query('q') ?? '').trim()
      if (!words) return createUnprocessable(c, 'Specify search string with parameter q')
      const found = this.contacts.filter(
        ({ name, phone_number, identifier }) =>
          identifier?.includes(words) ||
          [name, phone_number].some((field) => field?.toLowerCase().includes(words.toLowerCase())),
      )
      const payload = found.slice(0, PAGE.contacts).map(showContact)
      const meta = { count: payload.length, current_page: 1, has_more: found.length > PAGE.contacts }
      return c.json({ meta, payload })
    })
    api.post('/contacts', async (c) => {
      const { inbox_id, source_id, ...fields } = await c.req.json()
      const wrong = this.#checkContact(c, fields)
      if (wrong) return wrong
      if (inbox_id !== undefined && inbox_id !== INBOX.id) return createNotFound(c)
      const { name = '', identifier = null, phone_number = null, avatar_url } = fields
      const contact = this.createContact(name, identifier, phone_number)
      this.#fetchPicture(contact, avatar_url)
      const added: Partial<ContactInbox> = inbox_id ? this.joinInbox(contact, source_id) : {}
      const contact_inbox = { inbox: inbox_id ? INBOX : null, source_id: added.source_id ?? null }
      return c.json({ payload: { contact: showContact(contact), contact_inbox } })
    })
    api.get('/contacts/:id', (c) => {
      const contact = this.#findContact(c.req.param('id'))
      return contact ? c.json({ payload: showContact(contact) }) : createNotFound(c)
    })
    api.put('/contacts/:id', async (c) => {
      const contact = this.#findContact(c.req.param('id'))
      if (!contact) return createNotFound(c)
      const change = await c.req.json()
      const wrong = this.#checkContact(c, change, contact)
      if (wrong) return wrong
      for (const field of contactFields)
        if (field in change) Object.assign(contact, { [field]: change[field] })
      this.#fetchPicture(contact, change.avatar_url)
      return c.json({ payload: showContact(contact) })
    })
    api.post('/contacts/:id/contact_inboxes', async (c) => {
      const contact = this.#findContact(c.req.param('id'))
      const { inbox_id, source_id } = await c.req.json()
      if (!contact || inbox_id !== INBOX.id) return createNotFound(c)
      return c.json(showContactInbox(this.joinInbox(contact, source_id)))
    })
    api.get('/contacts/:id/conversations', (c) => {
      const contact = this.#findContact(c.req.param('id'))
      if (!contact) return createNotFound(c)
      const own = this.conversations
        .filter((one) => one.contact === contact)
        .sort((a, b) => b.last_activity_at - a.last_activity_at)
      return c.json({ payload: own.slice(0, PAGE.conversations).map(showConversation) })
    })
  }

  #checkContact(c: Context, fields: Partial<Contact>, own?: Contact) {
    const { identifier, phone_number: phone } = fields
    const others = this.contacts.filter((one) => one !== own)
    if (phone && !PHONE.test(phone))
      return createInvalid(c, 'Phone number should be in e164 format', 'phone_number')
    if (identifier && others.some((one) => one.identifier === identifier))
      return createInvalid(c, 'Identifier has already been taken', 'identifier')
    if (phone && others.some((one) => one.phone_number === phone))
      return createInvalid(c, 'Phone number has already been taken', 'phone_number')
    return undefined
  }

  /** After the response, and without a word if it fails. */
  #fetchPicture(contact: Contact, url: unknown): void {
    if (typeof url !== 'string' || !url) return
    // The simulated network has a certificate that it made itself.
    get(url, { rejectUnauthorized: false }, (response) => {
      response.resume()
      if (response.statusCode === 200 && PICTURE.test(response.headers['content-type'] ?? ''))
        contact.thumbnail = `${this.url}/rails/active_storage/representations/${contact.id}`
    }).on('error', () => undefined)
  }

  #addConversationRoutes(api: Hono): void {
    api.post('/conversations', async (c) => {
      const { source_id, contact_id, inbox_id } = await c.req.json()
      const contact = this.#findContact(contact_id)
      if (!contact || inbox_id !== INBOX.id) return createNotFound(c)
      return c.json(showConversation(this.createConversation(contact, source_id)))
    })
    api.get('/conversations/:id', (c) => {
      const conversation = this.#findConversation(c.req.param('id'))
      return conversation ? c.json(showConversation(conversation)) : createNotFound(c)
    })
    api.post('/conversations/:id/toggle_status', async (c) => {
      const conversation = this.#findConversation(c.req.param('id'))
      if (!conversation) return createNotFound(c)
      const toggled = conversation.status === 'open' ? 'resolved' : 'open'
      this.changeStatus(conversation, (await c.req.json()).status || toggled)
      const { id: conversation_id, status: current_status } = conversation
      return c.json({ meta: {}, payload: { success: true, conversation_id, current_status } })
    })
  }

  #addMessageRoutes(api: Hono): void {
    const path = '/conversations/:conversation/messages'
    const find = (c: Context) => {
      const conversation = this.#findConversation(c.req.param('conversation'))
      return this.messages.find(
        (one) => one.id === Number(c.req.param('id')) && one.conversation === conversation,
      )
    }
    api.get(path, (c) => {
      const conversation = this.#findConversation(c.req.param('conversation'))
      if (!conversation) return createNotFound(c)
      const before = Number(c.req.query('before') || Number.POSITIVE_INFINITY)
      const all = this.listMessages(conversation).filter(({ id }) => id < before)
      return c.json({
        meta: { labels: [], contact: showContact(conversation.contact) },
        payload: all.slice(-PAGE.messages).map((one) => showMessage(one, this.url)),
      })
    })
    api.post(path, async (c) => {
      const conversation = this.#findConversation(c.req.param('conversation'))
      if (!conversation) return createNotFound(c)
      const fields = await this.#readMessage(c)
      if (fields.files.some(({ bytes }) => bytes.length > this.maxFileBytes))
        return c.html('<html><h1>413 Request Entity Too Large</h1></html>', 413)
      const since = Date.now() - MINUTE_MS
      const recent = this.listMessages(conversation).filter(({ created_at }) => created_at >= since)
      const wrong = checkMessage(fields, recent.length >= this.maxMessagesPerMinute)
      if (wrong) return createUnprocessable(c, wrong)
      const sender = fields.message_type === 'incoming' ? conversation.contact : this.ownerOfToken
      return c.json(showMessage(this.storeMessage(conversation, { ...fields, sender }), this.url))
    })
    api.patch(`${path}/:id`, async (c) => {
      const message = find(c)
      if (!message) return createNotFound(c)
      const { status, external_error } = await c.req.json()
      this.updateStatus(message, status, external_error)
      return c.json(showMessage(message, this.url))
    })
    api.delete(`${path}/:id`, (c) => {
      const message = find(c)
      if (!message) return createNotFound(c)
      this.deleteMessage(message)
      return c.json(showMessage(message, this.url))
    })
  }

  /** Attributes may be JSON in a field of a form. */
  async #readMessage(c: Context): Promise<MessageFields & { files: StoredFile[] }> {
    const isForm = c.req.header('content-type')?.startsWith('multipart/')
    const form = isForm ? await c.req.formData() : undefined
    const body = form
      ? Object.fromEntries([...form].filter(([, value]) => typeof value === 'string'))
      : await c.req.json()
    const files: StoredFile[] = []
    for (const file of (form?.getAll('attachments[]') ?? []) as unknown as File[])
      files.push(this.createFile(file.name, file.type, Buffer.from(await file.arrayBuffer())))
    const { content_attributes: given = {} } = body
    return {
      content: body.content ?? null,
      message_type: body.message_type ?? 'outgoing',
      private: [true, 'true'].includes(body.private),
      source_id: body.source_id ?? null,
      external_created_at: body.external_created_at,
      content_attributes: typeof given === 'string' ? JSON.parse(given) : given,
      files,
    }
  }

  /** A file's address leads to another one, where it is. */
  #addFileRoutes(app: Hono): void {
    const find = (signed: string) =>
      this.messages.flatMap(({ files }) => files).find((one) => signFile(one) === signed)
    app.get('/rails/active_storage/blobs/redirect/:signed/:name', (c) => {
      if (!find(c.req.param('signed'))) return c.notFound()
      return c.redirect(`/rails/active_storage/disk/${c.req.param('signed')}/${c.req.param('name')}`)
    })
    app.get('/rails/active_storage/disk/:signed/:name', async (c) => {
      const file = find(c.req.param('signed'))
      if (!file) return c.notFound()
      await this.watch('before', 'GET file')
      const disposition = `attachment; filename="${encodeURIComponent(file.name)}"`
      return c.body(new Uint8Array(file.bytes), 200, {
        'content-type': file.type,
        'content-disposition': disposition,
      })
    })
  }
}

/** Returns why the message is not taken. */
function checkMessage(
  { message_type = '', content, files }: MessageFields & { files: StoredFile[] },
  areTooMany: boolean,
) {
  if (!messageTypes.includes(message_type)) return `'${message_type}' is not a valid message_type`
  if (areTooMany) return 'Validation failed: Too many messages'
  if ((content ?? '').length > MAX_CONTENT)
    return `Validation failed: Content is too long (maximum is ${MAX_CONTENT} characters)`
  if (files.length > MAX_FILES) return 'Validation failed: Attachments exceeded maximum allowed'
  return undefined
}
