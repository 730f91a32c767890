// The content of a message in the field of its kind, as readers of this form expect it. It is never empty.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { dropEmpty, type Fields, listObjects, readObject, readText } from '../http/read-fields.ts'
import { orderIds, toOuterId } from './evolution-ids.ts'

/** A text with a preview or a quotation is a plain one too, and what a document is wrapped in is left out. */
export function describeMessage(record: MessageRecord): { type: string; message: Fields } {
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
  const { type, text } = record
  const kind = nameAnswer(record)
  const answer = answers[kind]
  if (answer) return [kind, answer(record)]
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

/** A number that answers a menu is as a tap on it. */
function nameAnswer({ messageType, type, content, buttonOrListid }: MessageRecord): string {
  if (type !== 'text' || !buttonOrListid || messageType in answers) return messageType
  return content.menuForm === 'list' ? 'listResponseMessage' : 'buttonsResponseMessage'
}

/** Of the choice: whoever writes its number has them in `vote`. */
const readWords = ({ vote, text }: MessageRecord): string => vote || text

/** Answers to menus. */
const answers: Record<string, (record: MessageRecord) => Fields> = {
  buttonsResponseMessage: (record) => ({
    selectedButtonId: record.buttonOrListid,
    selectedDisplayText: readWords(record),
  }),
  listResponseMessage: (record) => ({
    title: readWords(record),
    singleSelectReply: { selectedRowId: record.buttonOrListid },
  }),
  templateButtonReplyMessage: ({ text, buttonOrListid: id }) => ({
    selectedId: id,
    selectedDisplayText: text,
  }),
  interactiveResponseMessage: (record) => ({
    body: { text: record.text },
    nativeFlowResponseMessage: {
      ...dropEmpty({ name: read(record, 'name') }),
      paramsJson: JSON.stringify({ id: record.buttonOrListid }),
    },
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

const fileFields = 'mimetype width height seconds pageCount waveform isAnimated gifPlayback viewOnce'.split(
  ' ',
)

function describeFile({ text, content, mediaType }: MessageRecord): Fields {
  const { URL: url, JPEGThumbnail: jpegThumbnail, fileLength, fileName } = content
  return dropEmpty({
    ...Object.fromEntries(fileFields.map((name) => [name, content[name]])),
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
  const { latitude: degreesLatitude, longitude: degreesLongitude, name, address, url } = content
  const caption = messageType === 'liveLocationMessage' ? text : undefined
  return { degreesLatitude, degreesLongitude, ...dropEmpty({ name, address, url, caption }) }
}

function describeContacts({ content, messageType, text }: MessageRecord): Content {
  const cards = listObjects(content.contacts).map(({ name, vcard }) => ({
    displayName: name ?? '',
    vcard: vcard ?? '',
  }))
  const [first, ...others] = cards
  return first && others.length === 0 && messageType !== 'contactsArrayMessage'
    ? ['contactMessage', first]
    : ['contactsArrayMessage', { displayName: text, contacts: cards }]
}

function describeReaction(record: MessageRecord): Fields {
  const { reaction: id, text, chatid, chatlid, messageTimestamp: senderTimestampMs } = record
  return { key: { remoteJid: orderIds(chatid, '', chatlid).id, id }, text, senderTimestampMs }
}

function describePoll({ text: name, content: { choices, selectableCount } }: MessageRecord): Fields {
  const options = (Array.isArray(choices) ? choices : []).map((optionName) => ({ optionName }))
  return { name, options, selectableOptionsCount: selectableCount ?? 0 }
}

/** What it answers, whom it mentions, whether it was forwarded, and the advertisement that led here. */
export function describeContext({ content, quoted, quotedSender }: MessageRecord): Fields | undefined {
  const context = readObject(content.contextInfo)
  const mentioned = Array.isArray(context.mentionedJID) ? (context.mentionedJID as string[]) : []
  const ad = readObject(context.externalAdReply)
  const { sourceID: sourceId, sourceURL: sourceUrl, mediaURL: mediaUrl, thumbnailURL: thumbnailUrl } = ad
  const { title, body, sourceType, ctwaClid, ref } = ad
  const named = { title, body, sourceType, sourceId, sourceUrl, mediaUrl, thumbnailUrl, ctwaClid, ref }
  const fields = dropEmpty({
    stanzaId: quoted || context.stanzaID,
    participant: toOuterId(quotedSender || readText(context.participant)),
    quotedMessage: context.quotedMessage,
    mentionedJid: mentioned.length > 0 ? mentioned.map(toOuterId) : undefined,
    isForwarded: context.isForwarded,
    externalAdReply: context.externalAdReply ? dropEmpty(named) : undefined,
  })
  return Object.keys(fields).length > 0 ? fields : undefined
}
