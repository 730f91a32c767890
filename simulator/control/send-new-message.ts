// Sends a new message from a phone: its body, and the stanza or the raw bytes that it becomes.
import { setImmediate as waitForLoop } from 'node:timers/promises'
import * as z from 'zod'
import type { proto } from '../codec/protobuf.ts'
import { checkMaySend } from '../groups/group-rules.ts'
import { STATUS } from '../network/address.ts'
import { isGroupChat } from '../network/message-chats.ts'
import type { Network } from '../network/simulated-network.ts'
import { MAX_POLL_CHOICES, MIN_POLL_CHOICES } from '../network-limits.ts'
import { uploadAttachment } from '../phones/attachments.ts'
import { chooseForm } from '../phones/choose-form.ts'
import { MENU_FORMS } from '../phones/describe-menu.ts'
import { buildMenuMessage } from '../phones/phone-menus.ts'
import { buildPollMessage } from '../phones/phone-polls.ts'
import { sendFromPhone } from '../phones/send-from-phone.ts'
import { sendRaw } from '../phones/send-raw.ts'
import { postStatus } from '../phones/send-to-group.ts'
import {
  buildAlbumMessage,
  buildContactMessage,
  buildEventMessage,
  buildFileMessage,
  buildKindMessage,
  buildLocationMessage,
  buildTextMessage,
  isKind,
} from '../phones/write-message.ts'
import type { Account } from '../store/account-table.ts'
import type { AddressForm } from '../store/message-table.ts'
import { Name, requireChat, requireMessage, requirePhone } from './control-body.ts'
import { createProblem } from './problem.ts'

const KINDS = ['image', 'video', 'ptv', 'audio', 'document', 'sticker'] as const
const DEFAULT_TYPES = {
  image: 'image/jpeg',
  video: 'video/mp4',
  ptv: 'video/mp4',
  audio: 'audio/ogg; codecs=opus',
  document: 'application/octet-stream',
  sticker: 'image/webp',
}
const CONTENTS = [
  'text',
  'poll',
  'event',
  'album',
  'menu',
  'location',
  'contact',
  'kind',
  'raw',
  ...KINDS,
] as const
const File = z.base64().min(4)
const Poll = z
  .strictObject({
    name: z.string().min(1).max(255),
    choices: z.array(z.string().min(1).max(100)).min(MIN_POLL_CHOICES).max(MAX_POLL_CHOICES),
    /** 0 for all of them. */
    selectable: z.int().min(0).max(MAX_POLL_CHOICES).default(1),
  })
  .refine(({ choices }) => new Set(choices).size === choices.length, 'two choices are the same')
  .refine(({ choices, selectable }) => selectable <= choices.length, 'more than there are choices')
const Album = z.strictObject({ images: z.int().min(0).max(100), videos: z.int().min(0).max(100) })
const Event = z.strictObject({
  name: z.string().min(1).max(255),
  description: z.string().max(4096).default(''),
  /** Milliseconds since the epoch. */
  startTime: z.int().positive(),
  place: z.string().max(255).default(''),
})
const Menu = z.strictObject({
  form: z.enum([...MENU_FORMS, 'product']),
  text: z.string().min(1).max(4096),
  title: z.string().max(60).default(''),
  footer: z.string().max(60).default(''),
  /** A JPEG; not of lists and products. */
  picture: File.optional(),
  choices: z
    .array(
      z.strictObject({
        id: z.string().max(256),
        text: z.string().min(1),
        description: z.string().optional(),
      }),
    )
    .min(1),
})
const GeoPoint = z.strictObject({
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
  name: z.string().default(''),
})
const Advertisement = z.strictObject({ title: z.string(), sourceUrl: z.string(), ctwaClid: z.string() })
const Card = z.strictObject({ displayName: z.string().min(1), vcard: z.string().min(1) })
export const NewMessage = z
  .strictObject({
    from: Name,
    to: Name,
    /** Of a status post: who may see it. */
    viewers: z.array(Name).min(1).max(1024).optional(),
    text: z.string().min(1).max(65_536).optional(),
    image: File.optional(),
    video: File.optional(),
    /** A round video note. */
    ptv: File.optional(),
    audio: File.optional(),
    document: File.optional(),
    sticker: File.optional(),
    location: GeoPoint.optional(),
    contact: Card.optional(),
    /** Bytes in place of an encoded message. */
    raw: z.base64().min(4).optional(),
    /** The field of a message of any kind, and what is in it. */
    kind: z.string().optional(),
    fields: z.union([z.string(), z.record(z.string(), z.unknown())]).default({}),
    poll: Poll.optional(),
    event: Event.optional(),
    /** How many files follow; each is sent with `partOf`. */
    album: Album.optional(),
    /** Of a picture or a video: the id of the album. */
    partOf: z.string().optional(),
    menu: Menu.optional(),
    /** Of a text: the advertisement that led the writer here. */
    advertisement: Advertisement.optional(),
    mimetype: z.string().optional(),
    /** A JPEG that goes with a picture, a video or a document. */
    thumbnail: File.optional(),
    caption: z.string().optional(),
    /** The caption is repeated this many times, so that ten million characters need not be sent as JSON, which would block the process. */
    captionRepeat: z.int().min(1).max(20_000_000).optional(),
    fileName: z.string().optional(),
    /** By number unless it is set; a person whom the phone knows from a group of LIDs only is written to by LID. */
    addressing: z.enum(['pn', 'lid']).optional(),
    /** The companions of the other person get a notice in place of the file. */
    viewOnce: z.boolean().default(false),
    quoted: z.string().optional(),
    /** Of a text or a caption, which names them as `@` and their numbers; `all`: all members of the group. */
    mentions: z.union([z.literal('all'), z.array(Name).min(1).max(1024)]).optional(),
    /** Companions get it later, by `/sim/messages/:id/deliver`. */
    held: z.boolean().default(false),
    /** Milliseconds; now unless it is set. */
    sentAt: z.int().positive().optional(),
    count: z.int().min(1).max(10_000).optional(),
    /** A sender chooses its ids, also one that another sender has used. */
    id: z.string().min(1).max(128).optional(),
  })
  .refine((input) => CONTENTS.filter((kind) => input[kind] !== undefined).length === 1, {
    message:
      'either a text, a poll, an event, an album, a menu, a location, a contact, one file, a kind or raw bytes',
    path: ['text'],
  })
  .refine(({ kind }) => kind === undefined || isKind(kind), { message: 'no such kind', path: ['kind'] })
  .refine(({ viewOnce, image, video, audio }) => !viewOnce || Boolean(image ?? video ?? audio), {
    message: 'an image, a video or a sound can be seen once',
    path: ['viewOnce'],
  })
  .refine(({ to, viewers, raw }) => (to === STATUS) === (viewers !== undefined) && !(viewers && raw), {
    message: 'a status post has viewers, and no raw bytes',
    path: ['viewers'],
  })
  .refine(({ id, count }) => id === undefined || count === undefined, {
    message: 'one message has it',
    path: ['id'],
  })
export type NewMessage = z.infer<typeof NewMessage>

/** Locations and contacts travel as media. */
function chooseStanzaType({ poll, event, album, text, menu, kind }: NewMessage): 'media' | 'poll' | 'text' {
  if (poll !== undefined) return 'poll'
  return (text ?? menu ?? event ?? album ?? kind) === undefined ? 'media' : 'text'
}

/** Messages of a burst that are sent in one turn of the event loop. */
const UNINTERRUPTED = 8

/** Returns the ids of the messages: one, or `count` of them. */
export async function sendNewMessage(network: Network, input: NewMessage): Promise<string[]> {
  const from = requirePhone(network, input.from)
  if (input.viewers) return postNewStatus(network, input, from, input.viewers)
  const to = requireChat(network, input.to)
  if (isGroupChat(to)) checkMaySend(network, to, from)
  const form = isGroupChat(to) ? to.form : (input.addressing ?? chooseForm(network, from, to))
  const { raw, id, count = 1 } = input
  const ids: string[] = []
  if (raw !== undefined) {
    if (isGroupChat(to)) throw createProblem(400, 'raw bytes go to a person', 'to')
    const bytes = Buffer.from(raw, 'base64')
    for (let sent = 0; sent < count; sent += 1)
      ids.push(await sendRaw(network, { from, to, form, bytes, id }))
    return ids
  }
  const buildMessage = await prepareContent(network, input, form)
  const type = chooseStanzaType(input)
  for (let sent = 0; sent < count; sent += 1) {
    // A network does not stand still for others while one of its accounts writes a lot.
    if (sent % UNINTERRUPTED === UNINTERRUPTED - 1) await waitForLoop()
    ids.push(
      await sendFromPhone(network, {
        from,
        to,
        form,
        message: buildMessage(),
        type,
        id,
        viewOnce: input.viewOnce,
        held: input.held,
        sentAt: input.sentAt,
      }),
    )
  }
  return ids
}

async function postNewStatus(network: Network, input: NewMessage, from: Account, names: string[]) {
  const form = input.addressing ?? (from.lidMigrated ? 'lid' : 'pn')
  const viewers = names.map((name) => requirePhone(network, name))
  const buildMessage = await prepareContent(network, input, form)
  const { id, sentAt, held, count = 1 } = input
  const ids: string[] = []
  for (let posted = 0; posted < count; posted += 1) {
    const post = { from, form, message: buildMessage(), type: chooseStanzaType(input), id, sentAt, held }
    ids.push(await postStatus(network, post, viewers))
  }
  return ids
}

/** Uploads the file once; each message that is built has a secret of its own. */
async function prepareContent(network: Network, input: NewMessage, form: AddressForm) {
  const quoted = input.quoted === undefined ? undefined : requireMessage(network, input.quoted)
  const album = input.partOf === undefined ? undefined : requireMessage(network, input.partOf)
  const mentions = input.mentions && {
    all: input.mentions === 'all',
    people: input.mentions === 'all' ? [] : input.mentions.map((name) => requirePhone(network, name)),
  }
  const attached = await buildAttachment(network, input)
  const picture = await uploadMenuPicture(network, input.menu?.picture)
  return (): proto.IMessage => {
    if (input.poll !== undefined) return buildPollMessage(input.poll)
    if (input.event !== undefined) return buildEventMessage(input.event)
    if (input.album !== undefined) return buildAlbumMessage(input.album)
    if (input.kind !== undefined) return buildKindMessage(input.kind, input.fields)
    if (input.menu !== undefined) return buildMenuMessage(input.menu, picture)
    if (input.location !== undefined) return buildLocationMessage(input.location)
    if (input.contact !== undefined) return buildContactMessage(input.contact)
    if (attached !== undefined) return buildFileMessage(network, attached, form, { quoted, mentions, album })
    const { text = '', advertisement } = input
    return buildTextMessage(network, text, form, { quoted, advertisement, mentions })
  }
}

async function uploadMenuPicture(network: Network, picture: string | undefined) {
  if (picture === undefined) return undefined
  const file = Buffer.from(picture, 'base64')
  const { imageMessage } = await uploadAttachment(network, { kind: 'image', file, mimetype: 'image/jpeg' })
  return imageMessage
}

async function buildAttachment(network: Network, input: NewMessage) {
  const kind = KINDS.find((one) => input[one] !== undefined)
  if (kind === undefined) return undefined
  const { mimetype = DEFAULT_TYPES[kind], captionRepeat = 1, fileName } = input
  const caption = input.caption?.repeat(captionRepeat)
  const file = Buffer.from(input[kind] ?? '', 'base64')
  const note = kind === 'ptv'
  const thumbnail = input.thumbnail === undefined ? undefined : Buffer.from(input.thumbnail, 'base64')
  const { viewOnce } = input
  return uploadAttachment(network, {
    kind: note ? 'video' : kind,
    file,
    mimetype,
    caption,
    fileName,
    note,
    viewOnce,
    thumbnail,
  })
}
