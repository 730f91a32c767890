// The routes of Chatwoot's application API that the bridge uses, with the fields that it reads.

import { settings } from './chatwoot-settings.ts'

const TIMEOUT_MS = 60_000

/** Chatwoot did not do it, and says why. */
export class ChatwootRefused extends Error {
  override readonly name = 'ChatwootRefused'
  readonly status: number

  constructor(request: string, status: number, text: string) {
    super(`${request} was answered with ${status}: ${text.slice(0, 300)}`)
    this.status = status
  }
}

/** No response, or one of a proxy: it may have been done. */
class ChatwootSilent extends Error {
  override readonly name = 'ChatwootSilent'
}

export interface Contact {
  id: number
  name: string
  identifier: string | null
  phone_number: string | null
  contact_inboxes?: { source_id: string; inbox: { id: number } }[]
}

export interface Conversation {
  id: number
  inbox_id: number
  status: 'open' | 'resolved' | 'pending' | 'snoozed'
}

export interface StoredMessage {
  id: number
  source_id: string | null
}

async function sendRequest<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const isForm = body instanceof FormData
  const name = `${method} ${path.split('?', 1)[0]}`
  let response: Response
  let text: string
  try {
    response = await fetch(settings.api + path, {
      method,
      headers: {
        api_access_token: settings.token,
        ...(body && !isForm && { 'content-type': 'application/json' }),
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      // The token must not follow one to another place, and a POST would become a GET there.
      redirect: 'manual',
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    })
    text = await response.text()
  } catch (cause) {
    throw new ChatwootSilent(`${name} had no response`, { cause })
  }
  if (response.status >= 500) throw new ChatwootSilent(`${name} was answered with ${response.status}`)
  if (!response.ok) throw new ChatwootRefused(name, response.status, text)
  return (text ? JSON.parse(text) : {}) as Answer
}

interface NewContact {
  name: string
  identifier: string
  phone_number?: string
}

export const chatwoot = {
  async searchContacts(words: string): Promise<Contact[]> {
    const path = `/contacts/search?q=${encodeURIComponent(words)}`
    return (await sendRequest<{ payload: Contact[] }>('GET', path)).payload
  },

  async createContact(contact: NewContact) {
    const body = { ...contact, inbox_id: settings.inbox }
    type Created = { payload: { contact: Contact; contact_inbox: { source_id: string } } }
    return (await sendRequest<Created>('POST', '/contacts', body)).payload
  },

  readContact: async (id: number): Promise<Contact> =>
    (await sendRequest<{ payload: Contact }>('GET', `/contacts/${id}`)).payload,

  updateContact: (id: number, change: { name?: string; identifier?: string; avatar_url?: string }) =>
    sendRequest('PUT', `/contacts/${id}`, change),

  addToInbox: (contact: number) =>
    sendRequest<{ source_id: string }>('POST', `/contacts/${contact}/contact_inboxes`, {
      inbox_id: settings.inbox,
    }),

  listConversations: async (contact: number): Promise<Conversation[]> =>
    (await sendRequest<{ payload: Conversation[] }>('GET', `/contacts/${contact}/conversations`)).payload,

  createConversation: (contact_id: number, source_id: string) =>
    sendRequest<Conversation>('POST', '/conversations', { contact_id, source_id, inbox_id: settings.inbox }),

  readConversation: (id: number) => sendRequest<Conversation>('GET', `/conversations/${id}`),

  setStatus: (id: number, status: Conversation['status']) =>
    sendRequest('POST', `/conversations/${id}/toggle_status`, { status }),

  /** The newest twenty before this one, oldest first. */
  async listMessages(conversation: number, before?: number): Promise<StoredMessage[]> {
    const path = `/conversations/${conversation}/messages${before === undefined ? '' : `?before=${before}`}`
    return (await sendRequest<{ payload: StoredMessage[] }>('GET', path)).payload
  },

  createMessage: (conversation: number, message: object) =>
    sendRequest<StoredMessage>('POST', `/conversations/${conversation}/messages`, message),

  setMessageStatus: (conversation: number, id: number, status: string, external_error?: string) =>
    sendRequest('PATCH', `/conversations/${conversation}/messages/${id}`, { status, external_error }),

  deleteMessage: (conversation: number, id: number) =>
    sendRequest('DELETE', `/conversations/${conversation}/messages/${id}`),
}
