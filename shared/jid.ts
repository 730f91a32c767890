// Ids of the network in the form that callers use. Only the driver knows the network's own suffix.

const PERSON = /^[1-9]\d{7,14}@s\.msgnet\.net$/
const LID = /^\d{5,20}@lid$/
const GROUP = /^\d{5,25}(-\d{5,15})?@g\.us$/
const PHONE = /^[1-9]\d{7,14}$/

/** Blanks and signs that people write between digits, and marks of direction that come along when a number is copied. */
const MARKS = '\u200e\u200f\u202a-\u202e\u2066-\u2069'
const SIGN = `[ .\\-()\\[\\]${MARKS}]`
const PHONE_TEXT = `[${MARKS}]*\\+?${SIGN}*[1-9](${SIGN}*[0-9]){7,14}${SIGN}*`
const PERSON_ID = '[1-9][0-9]{7,14}@s\\.msgnet\\.net|[0-9]{5,20}@lid'
const GROUP_ID = '[0-9]{5,25}(-[0-9]{5,15})?@g\\.us'

/** What the functions below accept, as the document says it. */
export const patterns = {
  phone: `^\\s*${PHONE_TEXT}\\s*$`,
  phones: `^\\s*${PHONE_TEXT}(\\s*,\\s*${PHONE_TEXT}){0,19}\\s*$`,
  person: `^\\s*(${PHONE_TEXT}|${PERSON_ID})\\s*$`,
  group: `^\\s*${GROUP_ID}$`,
  number: `^\\s*(${PHONE_TEXT}|${PERSON_ID}|${GROUP_ID})\\s*$`,
  mention: `^(all|\\s*(${PHONE_TEXT}|${PERSON_ID}|${GROUP_ID})\\s*)$`,
  mentions: `^\\s*((all|${PHONE_TEXT}|${PERSON_ID}|${GROUP_ID})\\s*(,\\s*(all|${PHONE_TEXT}|${PERSON_ID}|${GROUP_ID})\\s*)*)?$`,
} as const

/** The chat of an account's own status posts, which its contacts see. */
export const STATUS_JID = 'status@broadcast'

export const PERSON_SUFFIX = '@s.msgnet.net'

export const isGroup = (jid: string): boolean => jid.endsWith('@g.us')
export const isLid = (jid: string): boolean => jid.endsWith('@lid')

const DIRECTION_MARKS = new RegExp(`[${MARKS}]`, 'g')

/**
 * 8 to 15 digits with country code, without the spaces and signs that people write; undefined for other text. A `(0)` within is the zero
 * that is dialled within a country, and no part of the number.
 */
export function parsePhone(text: string): string | undefined {
  const digits = text
    .replace(DIRECTION_MARKS, '')
    .trim()
    .replace(/^\+/, '')
    .replace(/(\d\D*?)\(0\)/, '$1')
    .replace(/[ .\-()[\]]/g, '')
  return PHONE.test(digits) ? digits : undefined
}

/**
 * `number` of a request (contract, "Chat"): a phone number, or an id ending in `@s.msgnet.net`, `@g.us` or `@lid`.
 * Returns the id, never deriving a phone number from an `@lid`; undefined when it is none of these.
 */
export function parseNumber(text: string): string | undefined {
  const trimmed = text.replace(DIRECTION_MARKS, '').trim()
  if (trimmed.includes('@'))
    return [PERSON, LID, GROUP].some((form) => form.test(trimmed)) ? trimmed : undefined
  const phone = parsePhone(trimmed)
  return phone && phone + PERSON_SUFFIX
}

/** The network's own rules forbid more: which of these names somebody has, it says itself. */
const USERNAME = /^@([A-Za-z0-9._]{3,35})(?::(\d{4}))?$/

export interface KeyedUsername {
  /** Without the leading `@`. */
  username: string
  /** Four digits, without which some owners are not found. */
  key?: string
}

/** `@name`, or `@name:1234` with its key; undefined for other text. */
export function parseUsername(text: string): KeyedUsername | undefined {
  const [, username, key] = USERNAME.exec(text.trim()) ?? []
  return username === undefined ? undefined : { username, ...(key !== undefined && { key }) }
}

/** The digits before the suffix of a person's id; empty for any other id. */
export const extractPhone = (jid: string): string =>
  jid.endsWith(PERSON_SUFFIX) ? jid.slice(0, -PERSON_SUFFIX.length) : ''
