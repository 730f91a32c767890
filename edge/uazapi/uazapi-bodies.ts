// Converts request bodies of clients of uazapi to those of the contract.

import { limits } from '@msgnet/shared/contract/limits.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'

/** Fields that may contain a person's or a chat's id. */
const idFields = [
  'number',
  'chatid',
  'wa_chatid',
  'wa_lastMessageSender',
  'participants',
  'phoneNumber',
  'numbers',
  'mentions',
  'phone',
  'jid',
  'ids',
]
const UAZAPI_SUFFIX = /@(s\.whatsapp\.net|c\.us)(?=$|\s*,)/g
const MAX_PAGE = 100
/** The ids of groups have more. */
const MAX_PHONE_DIGITS = 15
/** More counts as this. */
const MAX_PRESENCE_MS = limits.maxSendDelayMs
/** Routes on which fields other than `action: "delete"` and `id` are ignored. */
const webhookPaths = ['/webhook', '/v1/webhook', '/globalwebhook']
/** Some programs write the name of their field with a capital letter. */
const invitePaths = ['/group/join', '/group/inviteInfo']

/**
 * Returns the body of a request to `path` in the form of the contract. It was just parsed and has no other owner, so it is changed
 * in place.
 */
export function convertBody(path: string, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const fields = body as Record<string, unknown>
  if (webhookPaths.includes(path) && fields.action === 'delete')
    return { action: 'delete', ...(fields.id !== undefined && { id: fields.id }) }
  if (webhookPaths.includes(path)) fields.excludeMessages = convertFilters(fields.excludeMessages)
  for (const name of idFields) if (Object.hasOwn(fields, name)) fields[name] = convertIds(fields[name])
  if (path === '/message/find' && typeof fields.limit === 'number' && fields.limit > MAX_PAGE)
    fields.limit = MAX_PAGE
  if (path === '/message/history') convertHistoryRequest(fields)
  if (path === '/chat/find') convertChatFilters(fields)
  if (path === '/message/presence' && typeof fields.delay === 'number' && fields.delay > MAX_PRESENCE_MS)
    fields.delay = MAX_PRESENCE_MS
  if (invitePaths.includes(path)) fields.invitecode ??= fields.inviteCode
  if (path === '/message/pin' && Number.isInteger(fields.duration)) convertPin(fields)
  return fields
}

/** In uazapi a request may be for one message that could not be read, which is another thing than older ones. */
function convertHistoryRequest(fields: Record<string, unknown>): void {
  const { mode, count } = fields
  if (mode !== undefined && mode !== null && mode !== '' && mode !== 'history')
    throw new Fault('invalid_body', 'mode must be history: no other is supported.')
  if (typeof count === 'number' && count > limits.maxRequestedHistory)
    fields.count = limits.maxRequestedHistory
}

/** uazapi has the days alone, and none of them ends it. */
function convertPin(fields: Record<string, unknown>): void {
  fields.pin ??= fields.duration !== 0
  if (fields.pin) fields.days ??= fields.duration
}

/** uazapi also writes one of the filters with a capital letter. */
const convertFilters = (filters: unknown): unknown =>
  Array.isArray(filters) ? filters.map((filter) => (filter === 'IsGroupNo' ? 'isGroupNo' : filter)) : filters

/** In uazapi `wa_fastid` has no ending, and types begin with a capital letter. */
function convertChatFilters(fields: Record<string, unknown>): void {
  const { wa_fastid: fastId, wa_lastMessageType: type } = fields
  const [, digits] = /^\d+:(\d+)$/.exec(String(fastId)) ?? []
  if (digits) fields.wa_fastid = `${fastId}${digits.length > MAX_PHONE_DIGITS ? '@g.us' : '@s.msgnet.net'}`
  if (typeof type === 'string') fields.wa_lastMessageType = type.slice(0, 1).toLowerCase() + type.slice(1)
}

/** Some programs send numbers as JSON numbers. */
function convertIds(value: unknown): unknown {
  if (Number.isSafeInteger(value)) return String(value)
  if (Array.isArray(value)) return value.map(convertIds)
  return typeof value === 'string' ? value.replace(UAZAPI_SUFFIX, '@s.msgnet.net') : value
}
