// Handlers for contacts and labels that do more than pass a body on.

import {
  type Contact,
  type Contacts,
  toPagination,
} from '@msgnet/shared/contract/responses/setting-responses.ts'
import type { Context } from 'hono'
import type * as z from 'zod'
import { dispatchAction } from '../hosts/dispatch-action.ts'
import type { Handlers } from '../http/serve-route.ts'
import { joinWhole, writeList, writePage } from '../http/streamed-body.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { requirePlaced } from './session-dispatch.ts'

/** The maximum number of items in a frame of the host. */
const A_PAGE = 1000

type ListedContact = z.infer<typeof Contacts>[number]

export const settingHandlers = {
  listContacts: (c) => respondWithContacts(c),

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

/** Phones have up to a hundred thousand contacts: they are sent as they come from the host. `convert`: to the form of the response. */
export async function respondWithContacts(
  c: Context<EdgeEnv>,
  convert: (contact: ListedContact) => unknown = (contact) => contact,
): Promise<Response> {
  const list = await writeList(writeContactPages(c, convert), joinWhole)
  return c.body(list, 200, { 'content-type': 'application/json' })
}

async function* writeContactPages(
  c: Context<EdgeEnv>,
  convert: (contact: ListedContact) => unknown,
): AsyncGenerator<string> {
  if (!c.var.instance.hostId) return
  const instance = requirePlaced(c)
  for (let offset = 0, total = 1; offset < total; ) {
    const page = { limit: A_PAGE, offset, contactScope: 'address_book' as const }
    const found = await dispatchAction(c, instance, 'contact.list', page, { isPartial: offset > 0 })
    if (found.contacts.length === 0) return
    yield writePage(found.contacts.map(toListed).map(convert))
    offset += found.contacts.length
    total = found.total
  }
}

const toListed = ({ jid, contact_name, ...others }: Contact): ListedContact => ({
  jid,
  contactName: contact_name,
  ...others,
})
