// Converts request bodies of clients of the API family to those of the contract.

/** Fields that may contain a person's or a chat's id. */
const idFields = [
  'number',
  'chatid',
  'wa_chatid',
  'participants',
  'numbers',
  'mentions',
  'phone',
  'jid',
  'ids',
]
const FAMILY_SUFFIX = /@(s\.whatsapp\.net|c\.us)(?=$|\s*,)/g
const MAX_PAGE = 100
/** Routes on which fields other than `action: "delete"` and `id` are ignored. */
const webhookPaths = ['/webhook', '/v1/webhook', '/globalwebhook']

/** Returns the body of a request to `path` in the form of the contract. It was just parsed and has no other owner, so it is changed in place. */
export function convertBody(path: string, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const fields = body as Record<string, unknown>
  if (webhookPaths.includes(path) && fields.action === 'delete')
    return { action: 'delete', ...(fields.id !== undefined && { id: fields.id }) }
  if (webhookPaths.includes(path)) fields.excludeMessages = convertFilters(fields.excludeMessages)
  for (const name of idFields) if (Object.hasOwn(fields, name)) fields[name] = convertIds(fields[name])
  if (path === '/message/find' && typeof fields.limit === 'number' && fields.limit > MAX_PAGE)
    fields.limit = MAX_PAGE
  return fields
}

/** The family also writes one of the filters with a capital letter. */
const convertFilters = (filters: unknown): unknown =>
  Array.isArray(filters) ? filters.map((filter) => (filter === 'IsGroupNo' ? 'isGroupNo' : filter)) : filters

function convertIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convertIds)
  return typeof value === 'string' ? value.replace(FAMILY_SUFFIX, '@s.msgnet.net') : value
}
