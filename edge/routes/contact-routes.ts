// Handlers for contacts and labels that do more than pass a body on.

import { type Contact, toPagination } from '../../shared/contract/responses/setting-responses.ts'
import { dispatchAction } from '../hosts/dispatch-action.ts'
import type { Handlers } from '../http/serve-route.ts'
import { requirePlaced } from './session-dispatch.ts'

/** The maximum number of items in a frame of the host. */
const A_PAGE = 1000

export const settingHandlers = {
  async listContacts(c) {
    if (!c.var.instance.hostId) return []
    const instance = requirePlaced(c)
    const contacts: Contact[] = []
    for (let total = 1; contacts.length < total; ) {
      const page = { limit: A_PAGE, offset: contacts.length, contactScope: 'address_book' as const }
      const found = await dispatchAction(c, instance, 'contact.list', page)
      contacts.push(...found.contacts)
      total = found.contacts.length === 0 ? 0 : found.total
    }
    return contacts.map(({ jid, contact_name, ...others }) => ({ jid, contactName: contact_name, ...others }))
  },

  async findContacts(c, { body }) {
    const limit = body.pageSize ?? body.limit ?? 100
    const offset = body.page === undefined ? (body.offset ?? 0) : (body.page - 1) * limit
    if (!c.var.instance.hostId) return { contacts: [], pagination: toPagination(0, limit, offset) }
    const page = { limit, offset, contactScope: body.contactScope }
    const { contacts, total } = await dispatchAction(c, requirePlaced(c), 'contact.list', page)
    return { contacts, pagination: toPagination(total, limit, offset) }
  },

  listLabels: (c) => (c.var.instance.hostId ? dispatchAction(c, requirePlaced(c), 'label.list', {}) : []),
} satisfies Partial<Handlers>
