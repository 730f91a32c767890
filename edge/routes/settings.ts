// Handlers for contacts and labels that do more than pass a body on.

import { type Contact, paginationOf } from '../../shared/contract/answers/settings.ts'
import { act } from '../hosts/dispatch.ts'
import type { Handlers } from '../http/serve.ts'
import { placed } from './session-acts.ts'

/** The most items in a frame of the host. */
const A_PAGE = 1000

export const settingHandlers = {
  async listContacts(c) {
    if (!c.var.instance.hostId) return []
    const instance = placed(c)
    const contacts: Contact[] = []
    for (let total = 1; contacts.length < total; ) {
      const page = { limit: A_PAGE, offset: contacts.length, contactScope: 'address_book' as const }
      const found = await act(c, instance, 'contact.list', page)
      contacts.push(...found.contacts)
      total = found.contacts.length === 0 ? 0 : found.total
    }
    return contacts.map(({ jid, contact_name, contact_FirstName }) => ({
      ...{ jid, contactName: contact_name, contact_FirstName },
    }))
  },

  async findContacts(c, { body }) {
    const limit = body.pageSize ?? body.limit ?? 100
    const offset = body.page === undefined ? (body.offset ?? 0) : (body.page - 1) * limit
    if (!c.var.instance.hostId) return { contacts: [], pagination: paginationOf(0, limit, offset) }
    const page = { limit, offset, contactScope: body.contactScope }
    const { contacts, total } = await act(c, placed(c), 'contact.list', page)
    return { contacts, pagination: paginationOf(total, limit, offset) }
  },

  listLabels: (c) => (c.var.instance.hostId ? act(c, placed(c), 'label.list', {}) : []),
} satisfies Partial<Handlers>
