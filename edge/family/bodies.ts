// Bodies of requests as clients of the API family write them, read as ours: only where the operator says so (`COMPATIBILITY`).

/** Where an id of somebody may stand. */
const naming = [
  ...['number', 'chatid', 'wa_chatid', 'participants', 'numbers', 'mentions', 'phone', 'jid', 'ids'],
]
const THEIRS = /@(s\.whatsapp\.net|c\.us)(?=$|\s*,)/g
/** Messages of a page. */
const MOST = 100
/** What else of a record may stand beside `action: "delete"`. */
const webhooks = ['/webhook', '/v1/webhook', '/globalwebhook']

/** The body of a request to `path` as ours would have it. It is freshly parsed and nobody else's: it is changed in place. */
export function toleratedBody(path: string, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const fields = body as Record<string, unknown>
  if (webhooks.includes(path) && fields.action === 'delete')
    return { action: 'delete', ...(fields.id !== undefined && { id: fields.id }) }
  if (webhooks.includes(path)) fields.excludeMessages = filters(fields.excludeMessages)
  for (const name of naming) if (Object.hasOwn(fields, name)) fields[name] = respelled(fields[name])
  if (path === '/message/find' && typeof fields.limit === 'number' && fields.limit > MOST) fields.limit = MOST
  return fields
}

/** One of them is known there with a capital too. */
const filters = (given: unknown): unknown =>
  Array.isArray(given) ? given.map((one) => (one === 'IsGroupNo' ? 'isGroupNo' : one)) : given

function respelled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(respelled)
  return typeof value === 'string' ? value.replace(THEIRS, '@s.msgnet.net') : value
}
