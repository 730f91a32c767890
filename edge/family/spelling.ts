// Converts a JSON value to the spelling of the API family: the network's own suffix of ids, and a capital letter for message types.

const OURS = '@s.msgnet.net'
const THEIRS = '@s.whatsapp.net'
const ID = /^(\d+:)?\d+(:\d+)?@s\.msgnet\.net$/

/** Fields with text that people wrote, which is never changed. */
const words = new Set([
  ...['text', 'caption', 'conversation', 'wa_lastMessageTextVote', 'vote', 'reaction'],
  ...['name', 'Name', 'Topic', 'senderName', 'groupName', 'profileName', 'verifiedName', 'instanceName'],
  ...['wa_name', 'wa_contactName', 'contactName', 'contact_FirstName', 'contact_name', 'vcard', 'fileName'],
  ...['track_id', 'track_source', 'query', 'token', 'url', 'fileURL', 'message'],
])
/** Whether a field is such a text; other types under the same names are converted. */
const asText = (name: string, value: unknown): boolean => words.has(name) && typeof value === 'string'

/** Returns a converted copy. */
export function spelled(value: unknown): unknown {
  if (typeof value === 'string') return ID.test(value) ? value.replace(OURS, THEIRS) : value
  if (Array.isArray(value)) return value.map(spelled)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, inner]) => field(name, inner))
  return connectedOnceLoggedIn(Object.fromEntries(fields))
}

function field(name: string, value: unknown): [string, unknown] {
  if (name === 'isInMsgnet') return ['isInWhatsapp', value]
  if (name === 'wa_fastid' && typeof value === 'string') return [name, value.replace(/@.*$/, '')]
  if (name === 'messageType' && typeof value === 'string') return [name, capitalized(value)]
  if (name === 'server' && value === OURS.slice(1)) return [name, THEIRS.slice(1)]
  return [name, asText(name, value) ? value : spelled(value)]
}

const capitalized = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)

/** In the family `connected` means that messages can be sent, so it is false while a QR code waits. */
function connectedOnceLoggedIn(fields: Record<string, unknown>): Record<string, unknown> {
  const { connected, loggedIn } = fields
  return connected === true && loggedIn === false ? { ...fields, connected: false } : fields
}
