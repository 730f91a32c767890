// A message as the Cloud API has it: its type, the fields of that type, and what it answers.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { extractPhone } from '@msgnet/shared/jid.ts'
import { addPrefix } from './cloud-message-ids.ts'

type Fields = Record<string, unknown>

const nameType = (type: string, fields: unknown): Fields => ({ type, [type]: fields })

export const formatSeconds = (milliseconds: number): string => String(Math.floor(milliseconds / 1000))

/** `head`: who wrote it, and to whom. */
export function toCloudMessage(message: MessageRecord, head: Fields): Fields {
  return {
    ...head,
    id: addPrefix(message.messageid),
    timestamp: formatSeconds(message.messageTimestamp),
    ...describeContent(message),
    ...describeContext(message),
  }
}

export function describeContent(message: MessageRecord): Fields {
  const { text, content, type } = message
  switch (type) {
    case 'text':
      return message.buttonOrListid
        ? nameType('interactive', describeChoice(message))
        : nameType('text', { body: text })
    case 'media':
      return describeMedia(message)
    case 'location': {
      const { latitude, longitude, name, address, url } = content as Fields
      return nameType('location', { latitude, longitude, ...pickWords({ name, address, url }) })
    }
    case 'contact':
      return nameType('contacts', describeContacts(content))
    case 'reaction':
      return nameType('reaction', { message_id: addPrefix(message.reaction), ...(text && { emoji: text }) })
    default:
      return { type: 'unsupported', errors: [describeUnsupported(message)] }
  }
}

/** Empty words are left out: readers of this form expect none. */
const pickWords = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === 'string' && value !== ''))

/** Whoever writes the number of a choice has its words in `vote`. */
function describeChoice({ buttonOrListid: id, text, vote, messageType, content }: MessageRecord): Fields {
  const isList = /list/i.test(messageType) || content.menuForm === 'list'
  const kind = isList ? 'list_reply' : 'button_reply'
  return { type: kind, [kind]: { id, title: vote || text } }
}

const mediaTypes: Record<string, string> = {
  ptt: 'audio',
  ptv: 'video',
  myaudio: 'audio',
  videoplay: 'video',
}

/** The file is found by the id of its message. */
function describeMedia({ messageid, mediaType, text, content }: MessageRecord): Fields {
  const { mimetype, fileSha256, fileName, isAnimated } = content as Fields
  const type = mediaTypes[mediaType] ?? mediaType
  const fields = {
    id: messageid,
    ...pickWords({ mime_type: mimetype, sha256: fileSha256 }),
    ...(type !== 'audio' && type !== 'sticker' && pickWords({ caption: text })),
    ...(type === 'document' && pickWords({ filename: fileName })),
    ...(type === 'audio' && { voice: mediaType === 'ptt' }),
    ...(type === 'sticker' && { animated: isAnimated === true }),
  }
  return { type, [type]: fields }
}

function describeContacts(content: Fields): Fields[] {
  const cards = Array.isArray(content.contacts) ? (content.contacts as Fields[]) : []
  return cards.map((card) => {
    const name = String(card.name ?? card.displayName ?? card.fullName ?? '')
    const phones = readPhones(card)
    return {
      name: { formatted_name: name, first_name: name },
      ...(phones.length > 0 && { phones }),
    }
  })
}

const readPhones = ({ vcard }: Fields): Fields[] =>
  [...String(vcard ?? '').matchAll(/^TEL[^:]*?(?:waid=(\d+))?[^:]*:(.+)$/gim)].map(([, id, phone = '']) => ({
    phone: phone.trim(),
    ...(id && { wa_id: id }),
  }))

function describeUnsupported({ messageType }: MessageRecord): Fields {
  const title = 'Message type is currently not supported.'
  return { code: 131051, title, message: title, error_data: { details: `The message is a ${messageType}.` } }
}

/** A number that quotes nothing answers a menu of the account. */
function describeContext({ quoted, quotedSender, content, owner }: MessageRecord): Fields {
  const { contextInfo, menuid } = content as { contextInfo?: Fields; menuid?: string }
  const from = quoted ? extractPhone(quotedSender) : owner
  const answered = quoted || menuid
  const context = {
    ...(answered && { ...(from && { from }), id: addPrefix(answered) }),
    ...(contextInfo?.isForwarded === true && { forwarded: true }),
  }
  const referral = describeReferral(contextInfo?.externalAdReply as Fields | undefined)
  return {
    ...(Object.keys(context).length > 0 && { context }),
    ...(referral && { referral }),
  }
}

/** The advertisement that led somebody here. */
function describeReferral(advertisement: Fields | undefined): Fields | undefined {
  if (!advertisement) return undefined
  const {
    sourceUrl,
    sourceURL,
    sourceId,
    sourceID,
    sourceType,
    title,
    body,
    thumbnailUrl,
    thumbnailURL,
    ctwaClid,
  } = advertisement
  return pickWords({
    source_url: sourceUrl ?? sourceURL,
    source_id: sourceId ?? sourceID,
    source_type: sourceType,
    headline: title,
    body,
    thumbnail_url: thumbnailUrl ?? thumbnailURL,
    ctwa_clid: ctwaClid,
  })
}
