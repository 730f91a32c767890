// Ids of the network in the form that callers use. Only the driver knows the network's own suffix.

const PERSON = /^[1-9]\d{7,14}@s\.msgnet\.net$/
const LID = /^\d{5,20}@lid$/
const GROUP = /^\d{5,25}(-\d{5,15})?@g\.us$/
const PHONE = /^[1-9]\d{7,14}$/

/** The chat of an account's own status posts, which its contacts see. */
export const STATUS_JID = 'status@broadcast'

export const PERSON_SUFFIX = '@s.msgnet.net'

export const isGroup = (jid: string): boolean => jid.endsWith('@g.us')
export const isLid = (jid: string): boolean => jid.endsWith('@lid')

/** 8 to 15 digits with country code, without the spaces and signs that people write; undefined for other text. */
export function parsePhone(text: string): string | undefined {
  const digits = text
    .trim()
    .replace(/^\+/, '')
    .replace(/[ .\-()[\]]/g, '')
  return PHONE.test(digits) ? digits : undefined
}

/**
 * `number` of a request (contract, "Chat"): a phone number, or an id ending in `@s.msgnet.net`, `@g.us` or `@lid`.
 * Returns the id, never deriving a phone number from an `@lid`; undefined when it is none of these.
 */
export function parseNumber(text: string): string | undefined {
  const trimmed = text.trim()
  if (trimmed.includes('@'))
    return [PERSON, LID, GROUP].some((form) => form.test(trimmed)) ? trimmed : undefined
  const phone = parsePhone(trimmed)
  return phone && phone + PERSON_SUFFIX
}

/** The digits before the suffix of a person's id; empty for any other id. */
export const extractPhone = (jid: string): string =>
  jid.endsWith(PERSON_SUFFIX) ? jid.slice(0, -PERSON_SUFFIX.length) : ''
