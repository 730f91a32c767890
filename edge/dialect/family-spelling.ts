// Converts a JSON value to the spelling of the API family: the network's own suffix of ids, and a capital letter for message types.

import { isMessageRecord, toFamilyMessage } from './family-messages.ts'

const CONTRACT_SUFFIX = '@s.msgnet.net'
const FAMILY_SUFFIX = '@s.whatsapp.net'
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
  ID.test(text) ? text.replace(CONTRACT_SUFFIX, FAMILY_SUFFIX) : text

/** Returns a copy in which ids end as in the family, and all names are those of the contract. */
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
export function toFamilySpelling(value: unknown): unknown {
  if (typeof value === 'string') return convertEnding(value)
  if (Array.isArray(value)) return value.map(toFamilySpelling)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, inner]) => convertField(name, inner))
  const converted = nameChat(adjustConnected(Object.fromEntries(fields)))
  return isMessageRecord(converted) ? toFamilyMessage(converted) : converted
}

function convertField(name: string, value: unknown): [string, unknown] {
  if (name === 'isInMsgnet') return ['isInWhatsapp', value]
  if (name === 'wa_fastid' && typeof value === 'string') return [name, value.replace(/@.*$/, '')]
  if (name === 'messageType' && typeof value === 'string') return [name, capitalize(value)]
  if (name === 'server' && value === CONTRACT_SUFFIX.slice(1)) return [name, FAMILY_SUFFIX.slice(1)]
  return [name, isText(name, value) ? value : toFamilySpelling(value)]
}

const capitalize = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)

/** In the family `name` is what is shown: of somebody who has told none, the name in the address book. */
function nameChat(fields: Record<string, unknown>): Record<string, unknown> {
  return 'wa_chatid' in fields && fields.name === '' ? { ...fields, name: fields.wa_name } : fields
}

/** In the family `connected` means that messages can be sent, so it is false while a QR code waits. */
function adjustConnected(fields: Record<string, unknown>): Record<string, unknown> {
  const { connected, loggedIn } = fields
  return connected === true && loggedIn === false ? { ...fields, connected: false } : fields
}
