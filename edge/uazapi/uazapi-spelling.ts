// Converts a JSON value to the spelling of uazapi: the network's own suffix of ids, and a capital letter for message types.

import { isMessageRecord, toUazapiMessage } from './uazapi-messages.ts'

const CONTRACT_SUFFIX = '@s.msgnet.net'
const UAZAPI_SUFFIX = '@s.whatsapp.net'
const ID = /^(\d+:)?\d+(:\d+)?@s\.msgnet\.net$/

/** Fields with text that people wrote, which is never changed. */
// biome-ignore format: a list of short entries
const textFields = new Set([
  'text', 'caption', 'conversation', 'wa_lastMessageTextVote', 'vote', 'reaction', 'name', 'Name', 'Topic',
  'senderName', 'groupName', 'profileName', 'verifiedName', 'instanceName', 'wa_name', 'wa_contactName',
  'contactName', 'contact_FirstName', 'contact_name', 'vcard', 'fileName', 'track_id', 'track_source',
  'query', 'token', 'url', 'fileURL', 'message', 'displayName', 'optionName', 'convertOptions', 'adminField01', 'adminField02', 'systemName',
])
/** Whether a field is such a text; other types under the same names are converted. */
const isText = (name: string, value: unknown): boolean => textFields.has(name) && typeof value === 'string'

const convertEnding = (text: string): string =>
  ID.test(text) ? text.replace(CONTRACT_SUFFIX, UAZAPI_SUFFIX) : text

/** Returns a copy in which ids end as in uazapi, and all names are those of the contract. */
export function convertEndings(value: unknown): unknown {
  if (typeof value === 'string') return convertEnding(value)
  if (Array.isArray(value)) return value.map(convertEndings)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value)
  return Object.fromEntries(
    fields.map(([name, inner]) => [name, isText(name, inner) ? inner : convertEndings(inner)]),
  )
}

/** Returns a converted copy. */
export function toUazapiSpelling(value: unknown): unknown {
  if (typeof value === 'string') return convertEnding(value)
  if (Array.isArray(value)) return value.map(toUazapiSpelling)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, inner]) => convertField(name, inner))
  const converted = nameChat(adjustConnected(Object.fromEntries(fields)))
  return isMessageRecord(converted) ? toUazapiMessage(converted) : converted
}

function convertField(name: string, value: unknown): [string, unknown] {
  if (name === 'isInMsgnet') return ['isInWhatsapp', value]
  if (name === 'wa_fastid' && typeof value === 'string') return [name, value.replace(/@.*$/, '')]
  if (name === 'messageType' && typeof value === 'string') return [name, capitalize(value)]
  if (name === 'server' && value === CONTRACT_SUFFIX.slice(1)) return [name, UAZAPI_SUFFIX.slice(1)]
  return [name, isText(name, value) ? value : toUazapiSpelling(value)]
}

const capitalize = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)

/** In uazapi `name` is what is shown: of somebody who has told none, the name in the address book. */
function nameChat(fields: Record<string, unknown>): Record<string, unknown> {
  return 'wa_chatid' in fields && fields.name === '' ? { ...fields, name: fields.wa_name } : fields
}

/** In uazapi `connected` means that messages can be sent, so it is false while a QR code waits. */
function adjustConnected(fields: Record<string, unknown>): Record<string, unknown> {
  const { connected, loggedIn } = fields
  return connected === true && loggedIn === false ? { ...fields, connected: false } : fields
}
