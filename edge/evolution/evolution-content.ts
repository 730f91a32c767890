// The content of a message in the field of its kind, as readers of this form expect it. It is never empty.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { orderIds, toOuterId } from './evolution-ids.ts'

type Fields = Record<string, unknown>

/** Without fields that say nothing. */
const dropEmpty = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''))

interface Described {
  /** The field of `message` that has the content. */
  type: string
  message: Fields
}

/** A text with a preview or a quotation is a plain one too, and what a document is wrapped in is left out. */
export function describeMessage(record: MessageRecord): Described {
  const [type, content] = describeContent(record)
  if (typeof content === 'string') return { type, message: { [type]: content } }
  const contextInfo = describeContext(record)
  return {
    type,
    message: {
      [type]: { ...content, ...(contextInfo && { contextInfo }) },
      ...(record.fileURL && { mediaUrl: record.fileURL }),
    },
  }
}

type Content = [type: string, content: Fields | string]

function describeContent(record: MessageRecord): Content {
  const { messageType, type, text } = record
  const answer = answers[messageType]
  if (answer) return [messageType, answer(record)]
  switch (type) {
    case 'text':
      return ['conversation', text]
    case 'media':
      return [findMediaType(record), describeFile(record)]
    case 'location':
      return [nameField(record, 'locationMessage'), describePlace(record)]
    case 'contact':
      return describeContacts(record)
    case 'reaction':
      return ['reactionMessage', describeReaction(record)]
    case 'poll':
      return [nameField(record, 'pollCreationMessage'), describePoll(record)]
    default:
      return [nameField(record, 'unknownMessage'), dropEmpty({ text, ...record.content })]
  }
}

const nameField = ({ messageType }: MessageRecord, otherwise: string): string => messageType || otherwise

const read = ({ content }: MessageRecord, field: string): string => String(content[field] ?? '')

/** Answers to menus. */
const answers: Record<string, (record: MessageRecord) => Fields> = {
  buttonsResponseMessage: (record) => ({
    selectedButtonId: record.buttonOrListid,
    selectedDisplayText: record.text,
  }),
  listResponseMessage: (record) => ({
    title: record.text,
    singleSelectReply: { selectedRowId: record.buttonOrListid },
  }),
  templateButtonReplyMessage: (record) => ({
    selectedId: record.buttonOrListid,
    selectedDisplayText: record.text,
  }),
  interactiveResponseMessage: (record) => ({
    body: { text: record.text },
    nativeFlowResponseMessage: dropEmpty({
      name: read(record, 'name'),
      paramsJson: JSON.stringify({ id: record.buttonOrListid }),
    }),
  }),
}

const mediaTypes: Record<string, string> = {
  image: 'imageMessage',
  video: 'videoMessage',
  videoplay: 'videoMessage',
  ptv: 'ptvMessage',
  audio: 'audioMessage',
  ptt: 'audioMessage',
  myaudio: 'audioMessage',
  document: 'documentMessage',
  sticker: 'stickerMessage',
}

export const findMediaType = ({ messageType, mediaType }: MessageRecord): string =>
  Object.values(mediaTypes).includes(messageType) ? messageType : (mediaTypes[mediaType] ?? messageType)

const fileFields = [
  'mimetype',
  'width',
  'height',
  'seconds',
  'pageCount',
  'waveform',
  'isAnimated',
  'gifPlayback',
  'viewOnce',
]

const pickFields = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, fields[name]]))

function describeFile({ text, content, mediaType }: MessageRecord): Fields {
  const { URL: url, JPEGThumbnail: jpegThumbnail, fileLength, fileName } = content
  return dropEmpty({
    ...pickFields(content, fileFields),
    url,
    jpegThumbnail,
    // As the network's own form writes numbers of so many bits.
    fileLength: fileLength === undefined ? undefined : String(fileLength),
    caption: text,
    ...(mediaType === 'document' && { fileName, title: fileName }),
    ...(/^(audio|ptt|myaudio)$/.test(mediaType) && { ptt: mediaType !== 'audio' }),
  })
}

function describePlace({ text, content, messageType }: MessageRecord): Fields {
  const { latitude, longitude, name, address, url } = content
  return {
    degreesLatitude: latitude,
    degreesLongitude: longitude,
    ...dropEmpty({ name, address, url, ...(messageType === 'liveLocationMessage' && { caption: text }) }),
  }
}

function describeContacts(record: MessageRecord): Content {
  const { contacts } = record.content
  const cards = (Array.isArray(contacts) ? (contacts as Fields[]) : []).map(({ name, vcard }) => ({
    displayName: name ?? '',
    vcard: vcard ?? '',
  }))
  const [first] = cards
  return first && cards.length === 1 && record.messageType !== 'contactsArrayMessage'
    ? ['contactMessage', first]
    : ['contactsArrayMessage', { displayName: record.text, contacts: cards }]
}

function describeReaction({ reaction, text, chatid, chatlid, messageTimestamp }: MessageRecord): Fields {
  return {
    key: { remoteJid: orderIds(chatid, '', chatlid).id, id: reaction },
    text,
    senderTimestampMs: messageTimestamp,
  }
}

function describePoll({ text, content }: MessageRecord): Fields {
  const choices = Array.isArray(content.choices) ? content.choices : []
  return {
    name: text,
    options: choices.map((optionName) => ({ optionName })),
    selectableOptionsCount: content.selectableCount ?? 0,
  }
}

/** What it answers, whom it mentions, whether it was forwarded, and the advertisement that led here. */
export function describeContext({ content, quoted, quotedSender }: MessageRecord): Fields | undefined {
  const context = (content.contextInfo ?? {}) as Fields
  const mentioned = Array.isArray(context.mentionedJID) ? (context.mentionedJID as string[]) : []
  const fields = dropEmpty({
    stanzaId: quoted || context.stanzaID,
    participant: toOuterId(quotedSender || String(context.participant ?? '')),
    quotedMessage: context.quotedMessage,
    mentionedJid: mentioned.length > 0 ? mentioned.map(toOuterId) : undefined,
    isForwarded: context.isForwarded,
    externalAdReply: describeAdvertisement(context.externalAdReply as Fields | undefined),
  })
  return Object.keys(fields).length > 0 ? fields : undefined
}

const describeAdvertisement = (ad: Fields | undefined): Fields | undefined =>
  ad &&
  dropEmpty({
    title: ad.title,
    body: ad.body,
    sourceType: ad.sourceType,
    sourceId: ad.sourceID,
    sourceUrl: ad.sourceURL,
    mediaUrl: ad.mediaURL,
    thumbnailUrl: ad.thumbnailURL,
    ctwaClid: ad.ctwaClid,
    ref: ad.ref,
  })
