// Messages that people write on their phones, and what they do to messages.
import { Hono } from 'hono'
import * as z from 'zod'
import { isLeader, maySend } from '../groups/rules.ts'
import { chatOfMessage, isGroupChat, isReader } from '../network/chats.ts'
import type { Network } from '../network/network.ts'
import { passOn } from '../network/receipt-delivery.ts'
import { attach } from '../phones/attachments.ts'
import { type Change, change } from '../phones/changes.ts'
import { sendFromPhone } from '../phones/sending.ts'
import { fileMessage, textMessage } from '../phones/writing.ts'
import { bodyOf, chatNamed, messageNamed, Name, phoneNamed } from './body.ts'
import { problem } from './problem.ts'

const KINDS = ['image', 'video', 'audio', 'document'] as const
const PRESET_TYPE = {
  image: 'image/jpeg',
  video: 'video/mp4',
  audio: 'audio/ogg; codecs=opus',
  document: 'application/octet-stream',
}
const File = z.base64().min(4)
const NewMessage = z
  .strictObject({
    from: Name,
    to: Name,
    text: z.string().min(1).max(65_536).optional(),
    image: File.optional(),
    video: File.optional(),
    audio: File.optional(),
    document: File.optional(),
    mimetype: z.string().optional(),
    caption: z.string().optional(),
    /** The caption is said so many times over: ten million characters need not travel as JSON, which stops everybody. */
    captionRepeat: z.int().min(1).max(20_000_000).optional(),
    fileName: z.string().optional(),
    addressing: z.enum(['pn', 'lid']).default('pn'),
    quoted: z.string().optional(),
    count: z.int().min(1).max(10_000).optional(),
  })
  .refine((wish) => [wish.text, ...KINDS.map((kind) => wish[kind])].filter(Boolean).length === 1, {
    message: 'either a text or one file',
    path: ['text'],
  })
const Receipt = z.strictObject({ by: Name, type: z.enum(['delivered', 'read', 'played']) })
const Reaction = z.strictObject({ by: Name, text: z.string().max(64).default('') })
const Edit = z.strictObject({ by: Name, text: z.string().min(1).max(65_536) })
const Revoke = z.strictObject({ by: Name, text: z.string().optional() })

export function messageRoutes(network: Network) {
  return new Hono()
    .post('/', async (c) => {
      const wish = await bodyOf(c, NewMessage)
      const from = phoneNamed(network, wish.from)
      const to = chatNamed(network, wish.to)
      if (isGroupChat(to)) maySend(network, to, from)
      const form = isGroupChat(to) ? to.form : wish.addressing
      const quoted = wish.quoted === undefined ? undefined : messageNamed(network, wish.quoted)
      const ids: string[] = []
      const attached = await attachedTo(wish)
      const type = attached === undefined ? 'text' : 'media'
      for (let sent = 0; sent < (wish.count ?? 1); sent += 1) {
        const message =
          attached === undefined
            ? textMessage(network, wish.text ?? '', form, quoted)
            : fileMessage(network, attached, form, quoted)
        ids.push(await sendFromPhone(network, { from, to, form, message, type }))
      }
      return c.json(wish.count === undefined ? { id: ids[0] } : { ids })
    })

    .post('/:id/receipt', async (c) => {
      const { by, type } = await bodyOf(c, Receipt)
      const message = messageNamed(network, c.req.param('id'))
      const reader = phoneNamed(network, by)
      if (!isReader(network, message, reader))
        throw problem(400, 'the message did not go to this phone', 'by')
      const sender = phoneNamed(network, message.sender)
      passOn(network, reader, 0, sender, [message.id], type)
      return c.json({ ids: [message.id] })
    })

    .post('/:id/react', async (c) => {
      const { by, text } = await bodyOf(c, Reaction)
      return c.json({ id: await changed('react', c.req.param('id'), by, text) })
    })

    .post('/:id/edit', async (c) => {
      const { by, text } = await bodyOf(c, Edit)
      return c.json({ id: await changed('edit', c.req.param('id'), by, text) })
    })

    .post('/:id/revoke', async (c) => {
      const { by } = await bodyOf(c, Revoke)
      return c.json({ id: await changed('revoke', c.req.param('id'), by, '') })
    })

  function attachedTo(wish: z.infer<typeof NewMessage>) {
    const kind = KINDS.find((one) => wish[one] !== undefined)
    if (kind === undefined) return undefined
    const { mimetype = PRESET_TYPE[kind], captionRepeat = 1, fileName } = wish
    const caption = wish.caption?.repeat(captionRepeat)
    const file = Buffer.from(wish[kind] ?? '', 'base64')
    return attach(network, { kind, file, mimetype, caption, fileName })
  }

  function changed(kind: Change, id: string, name: string, text: string) {
    const message = messageNamed(network, id)
    const by = phoneNamed(network, name)
    const own = by.number === message.sender
    if (!own && !isReader(network, message, by)) {
      throw problem(400, 'this phone has no part in the message', 'by')
    }
    const chat = chatOfMessage(network, message)
    const asAdmin =
      kind === 'revoke' && chat !== undefined && isGroupChat(chat) && isLeader(network, chat, by)
    if (!own && kind !== 'react' && !asAdmin) throw problem(400, 'only its sender may change a message', 'by')
    return change(network, by, message, kind, text)
  }
}
