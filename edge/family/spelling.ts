// One JSON value in the spelling of the API family: ids end as the network itself has them, kinds of messages begin with a capital.

const OURS = '@s.msgnet.net'
const THEIRS = '@s.whatsapp.net'
const ID = /^(\d+:)?\d+(:\d+)?@s\.msgnet\.net$/

/** What people wrote is theirs, whatever it looks like. */
const words = new Set([
  ...['text', 'caption', 'conversation', 'wa_lastMessageTextVote', 'vote', 'reaction'],
  ...['name', 'Name', 'Topic', 'senderName', 'groupName', 'profileName', 'verifiedName', 'instanceName'],
  ...['wa_name', 'wa_contactName', 'contactName', 'contact_FirstName', 'contact_name', 'vcard', 'fileName'],
  ...['track_id', 'track_source', 'query', 'token', 'url', 'fileURL', 'message'],
])
/** Texts that are no words, under the same names as words. */
const asText = (name: string, value: unknown): boolean => words.has(name) && typeof value === 'string'

/** The same in their spelling. What is given stays as it is. */
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

/** There `connected` says that messages go: not while a QR code waits. */
function connectedOnceLoggedIn(fields: Record<string, unknown>): Record<string, unknown> {
  const { connected, loggedIn } = fields
  return connected === true && loggedIn === false ? { ...fields, connected: false } : fields
}
