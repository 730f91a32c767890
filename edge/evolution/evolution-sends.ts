// Sends of messages, each one call of the contract. They answer the message, which the network has taken.

import { limits } from '@msgnet/shared/contract/limits.ts'
import type { MediaKind } from '@msgnet/shared/contract/media-requests.ts'
import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import type { Context } from 'hono'
import type { RouteName } from '../http/call-contract.ts'
import { joinChoice, listRowChoices } from '../http/dialect-menus.ts'
import type { Row, Rows } from '../http/dialect-rows.ts'
import { type Fields, listObjects, readObject, readText } from '../http/read-fields.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { createMissing, requireKnown } from './evolution-bodies.ts'
import { createInvalid } from './evolution-errors.ts'
import { listNumbers, toOwnId } from './evolution-ids.ts'
import { toEvolutionMessage } from './evolution-message.ts'

const toAnswer = (record: MessageRecord, _: Fields, c: Context<EdgeEnv>) =>
  toEvolutionMessage(record, c.var.instance.id, 'PENDING')

/** What all sends take; `mentions` is of 1.x. */
function readSendOptions(fields: Fields): object {
  const { number, delay, quoted, mentions, mentionsEveryOne, linkPreview } = fields
  const { everyOne, mentioned } = { ...fields, ...readObject(mentions) }
  const replyid = readText(readObject(readObject(quoted).key).id)
  if (quoted && replyid === '') throw createInvalid('instance.quoted requires property "key.id"')
  const people = listNumbers(mentioned)
  return {
    number: toOwnId(number),
    ...(delay ? { delay: Math.min(Number(delay), limits.maxSendDelayMs) } : {}),
    ...(quoted ? { replyid } : {}),
    ...(mentionsEveryOne || everyOne ? { mentions: 'all' } : people.length > 0 && { mentions: people }),
    ...(typeof linkPreview === 'boolean' && { linkPreview }),
  }
}

/** `toContent`: what the message has beside the options of all sends. */
const send = (call: RouteName, needs: string, toContent: (fields: Fields) => object): Row => [
  call,
  `number! ${needs} delay:number replyid=quoted mentions=mentioned linkPreview`,
  toAnswer,
  (fields) => ({ ...readSendOptions(fields), ...toContent(fields) }),
]

const sendFile = (type: MediaKind, field: string): Row =>
  send('sendMedia', `file=${field}:file!`, (fields) => ({
    type: type === 'ptt' && fields.encoding === false ? 'audio' : type,
    file: readText(fields[field]),
  }))

/** The first bytes of a picture decide, whatever the caller thinks it is. */
function toMedia({ mediatype, media, mimetype, caption, fileName }: Fields): object {
  const type = requireKnown('mediatype', mediatype, ['image', 'video', 'document', 'audio'])
  const named = type === 'document' && { docName: readText(fileName) }
  const typed = type !== 'image' && { mimetype: readText(mimetype) }
  return { type, file: readText(media), text: readText(caption), ...typed, ...named }
}

const PLACE = 'latitude longitude name address'

const pickTexts = (fields: Fields, names: string): Fields =>
  Object.fromEntries(names.split(' ').map((name) => [name, fields[name] ?? '']))

function toContact({ contact, contactMessage }: Fields): object {
  const [card, ...others] = listObjects(contact ?? contactMessage)
  if (!card || others.length > 0) throw createInvalid('instance.contact must have one contact')
  if (!card.fullName) throw createMissing('fullName')
  return { ...pickTexts(card, 'fullName organization email url'), phoneNumber: card.phoneNumber || card.wuid }
}

/** An empty reaction removes the present one. */
function toReaction({ key, reaction }: Fields): object {
  const { id, remoteJid } = readObject(key)
  if (!id || !remoteJid) throw createInvalid('instance.key requires property "id" and property "remoteJid"')
  if (typeof reaction !== 'string') throw createMissing('reaction')
  return { number: toOwnId(remoteJid), id, text: reaction }
}

const toPoll = ({ name, selectableCount, values }: Fields): object => ({
  type: 'poll',
  text: readText(name),
  choices: values,
  selectableCount: Number(selectableCount),
})

const joinWords = (...parts: unknown[]): string => parts.map(readText).filter(Boolean).join('\n')

function toList({ title, description, footerText, buttonText, sections }: Fields): object {
  const choices = listRowChoices(sections, 'rowId')
  const words = { text: joinWords(title, description), footerText: readText(footerText) }
  return { type: 'list', ...words, choices, listButton: readText(buttonText) }
}

function toButton({ type, displayText, id, url, copyCode, phoneNumber }: Fields): string {
  if (type === 'pix')
    throw createInvalid('instance.buttons cannot be of type pix: there are no payments here')
  const opened = copyCode ? `copy:${copyCode}` : phoneNumber ? `call:${phoneNumber}` : readText(url)
  return opened ? `${joinChoice(displayText)}|${opened}` : joinChoice(displayText, id)
}

const toButtons = ({ title, description, footer, buttons }: Fields): object => ({
  type: 'button',
  text: joinWords(title, description),
  choices: listObjects(buttons).map(toButton),
  footerText: readText(footer),
})

/** The people who see a post are those whom the account's own settings name. */
function toStatus(fields: Fields, c: Context<EdgeEnv>): object {
  const { type, content, caption, backgroundColor, font, allContacts } = fields
  if (allContacts !== true)
    throw createInvalid('instance.allContacts must be true: a post is shown to the contacts of the account')
  const color = backgroundColor ? { background_color: backgroundColor } : {}
  if (type === 'text' && c.get('longTexts')?.hasFile(readText(content)))
    throw createInvalid('instance.content must be a text, and no file, where instance.type is "text"')
  if (type === 'text') return { type, text: readText(content), font: Number(font ?? 0), ...color }
  return { type, file: readText(content), text: readText(caption), ...(type === 'audio' && color) }
}

const MEDIA = 'type=mediatype! file=media:file! mimetype text=caption docName=fileName'
const STATUS = 'type! file=content:file! background_color=backgroundColor font'

export const sendRows: Rows = {
  'POST /message/sendText': send('sendText', 'text!', ({ text }) => ({ text: readText(text) })),
  'POST /message/sendMedia': send('sendMedia', MEDIA, toMedia),
  'POST /message/sendWhatsAppAudio': sendFile('ptt', 'audio'),
  'POST /message/sendPtv': sendFile('ptv', 'video'),
  'POST /message/sendSticker': sendFile('sticker', 'sticker'),
  'POST /message/sendLocation': send('sendLocation', 'latitude! longitude!', (fields) =>
    pickTexts(fields, PLACE),
  ),
  'POST /message/sendContact': send('sendContact', '', toContact),
  'POST /message/sendReaction': ['reactToMessage', 'number=key! text=reaction', toAnswer, toReaction],
  'POST /message/sendPoll': send('sendMenu', 'text=name! selectableCount! choices=values!', toPoll),
  'POST /message/sendList': send('sendMenu', 'text=title choices=sections! listButton=buttonText', toList),
  'POST /message/sendButtons': send('sendMenu', 'text=title choices=buttons! footerText=footer', toButtons),
  'POST /message/sendStatus': ['sendStatus', STATUS, toAnswer, toStatus],
}
