// Messages from phones: new ones, and changes of existing ones.
import { Hono } from 'hono'
import * as z from 'zod'
import { proto } from '../codec/protobuf.ts'
import { checkMaySend, isLeader } from '../groups/group-rules.ts'
import { deliverReceipt } from '../network/messages/deliver-receipt.ts'
import { findChat, isGroupChat, isReader } from '../network/messages/message-chats.ts'
import type { Network } from '../network/simulated-network.ts'
import { uploadAttachment } from '../phones/attachments.ts'
import { chooseForm } from '../phones/choose-form.ts'
import { findAttachment } from '../phones/describe-content.ts'
import { buildPollMessage, sendVote } from '../phones/phone-polls.ts'
import { type Change, sendChange } from '../phones/send-change.ts'
import { sendFromPhone } from '../phones/send-from-phone.ts'
import { sendRaw } from '../phones/send-raw.ts'
import {
  buildContactMessage,
  buildFileMessage,
  buildLocationMessage,
  buildTextMessage,
} from '../phones/write-message.ts'
import type { Account } from '../store/account-table.ts'
import { Name, readBody, requireChat, requireMessage, requirePhone } from './control-body.ts'
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
const CONTENTS = ['text', 'poll', 'location', 'contact', 'raw', ...KINDS] as const
const File = z.base64().min(4)
const Poll = z
  .strictObject({
    name: z.string().min(1).max(255),
    choices: z.array(z.string().min(1).max(100)).min(2).max(12),
    /** 0 for all of them. */
    selectable: z.int().min(0).max(12).default(1),
  })
  .refine(({ choices }) => new Set(choices).size === choices.length, 'two choices are the same')
  .refine(({ choices, selectable }) => selectable <= choices.length, 'more than there are choices')
const GeoPoint = z.strictObject({
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
  name: z.string().default(''),
})
const Card = z.strictObject({ displayName: z.string().min(1), vcard: z.string().min(1) })
const NewMessage = z
  .strictObject({
    from: Name,
    to: Name,
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
    poll: Poll.optional(),
    mimetype: z.string().optional(),
    caption: z.string().optional(),
    /** The caption is repeated this many times, so that ten million characters need not be sent as JSON, which would block the process. */
    captionRepeat: z.int().min(1).max(20_000_000).optional(),
    fileName: z.string().optional(),
    /** By number, but to someone whom the phone met in a group of LIDs only. */
    addressing: z.enum(['pn', 'lid']).optional(),
    quoted: z.string().optional(),
    count: z.int().min(1).max(10_000).optional(),
    /** Senders choose their ids, also one that another sender has used. */
    id: z.string().min(1).max(128).optional(),
  })
  .refine((wish) => CONTENTS.filter((kind) => wish[kind] !== undefined).length === 1, {
    message: 'either a text, a poll, a location, a contact, one file or raw bytes',
    path: ['text'],
  })
  .refine(({ id, count }) => id === undefined || count === undefined, {
    message: 'one message has it',
    path: ['id'],
  })
const Receipt = z.strictObject({ by: Name, type: z.enum(['delivered', 'read', 'played']) })
const Reaction = z.strictObject({ by: Name, text: z.string().max(64).default('') })
const Edit = z.strictObject({ by: Name, text: z.string().min(1).max(65_536) })
/** Without choices the vote is withdrawn. */
const Vote = z.strictObject({ by: Name, choices: z.array(z.string()).max(12) })
/** What becomes of the phone's copy of a file that the media hosts no longer have. */
const MediaDeletion = z.strictObject({ phone: z.enum(['kept', 'lost', 'offline']).default('kept') })
const Revoke = z.strictObject({ by: Name, text: z.string().optional() })

/** Locations and contacts travel as media. */
function chooseStanzaType({ poll, text }: z.infer<typeof NewMessage>): 'media' | 'poll' | 'text' {
  if (poll !== undefined) return 'poll'
  return text === undefined ? 'media' : 'text'
}

export function createMessageRoutes(network: Network) {
  return new Hono()
    .post('/', async (c) => {
      const wish = await readBody(c, NewMessage)
      const from = requirePhone(network, wish.from)
      const to = requireChat(network, wish.to)
      if (isGroupChat(to)) checkMaySend(network, to, from)
      const form = isGroupChat(to) ? to.form : (wish.addressing ?? chooseForm(network, from, to))
      if (wish.raw !== undefined) {
        if (isGroupChat(to)) throw createProblem(400, 'raw bytes go to a person', 'to')
        const bytes = Buffer.from(wish.raw, 'base64')
        const ids: string[] = []
        for (let sent = 0; sent < (wish.count ?? 1); sent += 1)
          ids.push(await sendRaw(network, { from, to, form, bytes, id: wish.id }))
        return c.json(wish.count === undefined ? { id: ids[0] } : { ids })
      }
      const quoted = wish.quoted === undefined ? undefined : requireMessage(network, wish.quoted)
      const ids: string[] = []
      const attached = await buildAttachment(wish)
      const type = chooseStanzaType(wish)
      const buildMessage = (): proto.IMessage => {
        if (wish.poll !== undefined) return buildPollMessage(wish.poll)
        if (wish.location !== undefined) return buildLocationMessage(wish.location)
        if (wish.contact !== undefined) return buildContactMessage(wish.contact)
        if (attached !== undefined) return buildFileMessage(network, attached, form, quoted)
        return buildTextMessage(network, wish.text ?? '', form, quoted)
      }
      for (let sent = 0; sent < (wish.count ?? 1); sent += 1) {
        const message = buildMessage()
        ids.push(await sendFromPhone(network, { from, to, form, message, type, id: wish.id }))
      }
      return c.json(wish.count === undefined ? { id: ids[0] } : { ids })
    })

    .post('/:id/receipt', async (c) => {
      const { by, type } = await readBody(c, Receipt)
      const message = requireMessage(network, c.req.param('id'))
      const reader = requirePhone(network, by)
      if (!isReader(network, message, reader))
        throw createProblem(400, 'the message did not go to this phone', 'by')
      const sender = requirePhone(network, message.sender)
      deliverReceipt(network, reader, 0, sender, [message.id], type)
      return c.json({ ids: [message.id] })
    })

    .delete('/:id/media', async (c) => {
      const { phone } = await readBody(c, MediaDeletion)
      const { content } = requireMessage(network, c.req.param('id'))
      const hash = content && findAttachment(proto.Message.decode(content))?.file.fileEncSha256
      if (!hash) throw createProblem(400, 'this message has no file of a phone')
      network.media.deleteFile(Buffer.from(hash).toString('base64url'), phone)
      return c.json({ phone })
    })

    .post('/:id/react', async (c) => {
      const { by, text } = await readBody(c, Reaction)
      return c.json({ id: await applyChange('react', c.req.param('id'), by, text) })
    })

    .post('/:id/edit', async (c) => {
      const { by, text } = await readBody(c, Edit)
      return c.json({ id: await applyChange('edit', c.req.param('id'), by, text) })
    })

    .post('/:id/vote', async (c) => {
      const { by: name, choices } = await readBody(c, Vote)
      return c.json({ id: await castVote(c.req.param('id'), requirePhone(network, name), choices) })
    })

    .post('/:id/revoke', async (c) => {
      const { by } = await readBody(c, Revoke)
      return c.json({ id: await applyChange('revoke', c.req.param('id'), by, '') })
    })

  function buildAttachment(wish: z.infer<typeof NewMessage>) {
    const kind = KINDS.find((one) => wish[one] !== undefined)
    if (kind === undefined) return undefined
    const { mimetype = DEFAULT_TYPES[kind], captionRepeat = 1, fileName } = wish
    const caption = wish.caption?.repeat(captionRepeat)
    const file = Buffer.from(wish[kind] ?? '', 'base64')
    const note = kind === 'ptv'
    return uploadAttachment(network, { kind: note ? 'video' : kind, file, mimetype, caption, fileName, note })
  }

  async function castVote(id: string, by: Account, choices: string[]) {
    const message = requireMessage(network, id)
    const creator = requirePhone(network, message.sender)
    const chat = findChat(network, message)
    const poll = network.store.polls.find(id, creator.number)
    if (poll === undefined || chat === undefined) throw createProblem(400, 'this message is no poll')
    const concerned = by.number === creator.number || isReader(network, message, by)
    if (!concerned) throw createProblem(400, 'this phone has no part in the poll', 'by')
    const strange = choices.find((choice) => !poll.choices.includes(choice))
    if (strange !== undefined) throw createProblem(400, `no such choice: ${strange}`, 'choices')
    const most = poll.selectable || poll.choices.length
    if (choices.length > most) throw createProblem(400, `more than ${most} choices`, 'choices')
    return sendVote(network, by, { message, creator, chat }, poll, choices)
  }

  function applyChange(kind: Change, id: string, name: string, text: string) {
    const message = requireMessage(network, id)
    const by = requirePhone(network, name)
    const own = by.number === message.sender
    if (!own && !isReader(network, message, by)) {
      throw createProblem(400, 'this phone has no part in the message', 'by')
    }
    const chat = findChat(network, message)
    const asAdmin =
      kind === 'revoke' && chat !== undefined && isGroupChat(chat) && isLeader(network, chat, by)
    if (!own && kind !== 'react' && !asAdmin)
      throw createProblem(400, 'only its sender may change a message', 'by')
    return sendChange(network, by, message, kind, text)
  }
}
