// Converts the records of messages to the form of uazapi: kinds that it calls media, and the parts of `content` that its receivers read.

type Fields = Record<string, unknown>

/** What uazapi calls the contract's types; it has no others of its own. */
const uazapiTypes: Record<string, string> = { location: 'media', contact: 'media', vote: 'poll' }
const uazapiMediaTypes: Record<string, string> = { location: 'location', contact: 'vcard' }

export const toUazapiType = (type: string): string => uazapiTypes[type] ?? type

export const isMessageRecord = (fields: Fields): boolean =>
  ['messageid', 'messageType', 'type', 'content'].every((name) => name in fields) &&
  typeof fields.content === 'object' &&
  fields.content !== null

/** `record` is a message record whose ids and names are converted already. */
export function toUazapiMessage(record: Fields): Fields {
  const type = String(record.type)
  const content = record.content as Fields
  const isPoll = type === 'poll' && Array.isArray(content.choices)
  return {
    ...record,
    type: toUazapiType(type),
    mediaType: uazapiMediaTypes[type] ?? record.mediaType,
    ...(type === 'vote' && { quoted: content.target }),
    convertOptions: isPoll ? (content.choices as unknown[]).join('|') : '',
    content: { ...content, ...describeContent(type, record, content) },
  }
}

/** The fields that uazapi has in addition to those of the contract. */
function describeContent(type: string, record: Fields, content: Fields): Fields {
  switch (type) {
    case 'location':
      return { degreesLatitude: content.latitude, degreesLongitude: content.longitude }
    case 'contact': {
      const [first] = (content.contacts ?? []) as { name: string; vcard: string }[]
      return first ? { displayName: first.name, vcard: first.vcard } : {}
    }
    case 'poll':
      return describePoll(record, content)
    case 'vote':
      return { pollCreationMessageKey: { remoteJID: record.chatid, ID: content.target } }
    case 'reaction':
      return { key: { remoteJID: record.chatid, ID: record.reaction }, text: record.text }
    default:
      return record.mediaType === 'ptt' ? { PTT: true } : {}
  }
}

/** Under the name of its message, which has a version. */
function describePoll(record: Fields, { choices, selectableCount }: Fields): Fields {
  if (!Array.isArray(choices)) return {}
  const messageType = String(record.messageType)
  const name = messageType.slice(0, 1).toLowerCase() + messageType.slice(1)
  const options = choices.map((optionName) => ({ optionName }))
  return { [name]: { name: record.text, options, selectableOptionsCount: selectableCount } }
}
