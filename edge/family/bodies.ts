// Converts request bodies of clients of the API family to ours, only if the operator has set `COMPATIBILITY`.

/** Fields that may contain a person's or a chat's id. */
const naming = [
  ...['number', 'chatid', 'wa_chatid', 'participants', 'numbers', 'mentions', 'phone', 'jid', 'ids'],
]
const THEIRS = /@(s\.whatsapp\.net|c\.us)(?=$|\s*,)/g
/** The most messages of a page. */
const MOST = 100
/** Routes on which other fields beside `action: "delete"` are ignored. */
const webhooks = ['/webhook', '/v1/webhook', '/globalwebhook']

/** The body of a request to `path` in our form. It was just parsed and has no other owner, so it is changed in place. */
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

/** The family also writes one of the filters with a capital letter. */
const filters = (given: unknown): unknown =>
  Array.isArray(given) ? given.map((one) => (one === 'IsGroupNo' ? 'isGroupNo' : one)) : given

function respelled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(respelled)
  return typeof value === 'string' ? value.replace(THEIRS, '@s.msgnet.net') : value
}
