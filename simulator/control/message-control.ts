// Messages from phones: new ones, and changes of existing ones.
import { Hono } from 'hono'
import * as z from 'zod'
import { proto } from '../codec/protobuf.ts'
import { isLeader } from '../groups/group-rules.ts'
import { deliverReceipt } from '../network/messages/deliver-receipt.ts'
import { findChat, isGroupChat, isReader } from '../network/messages/message-chats.ts'
import type { Network } from '../network/simulated-network.ts'
import { MAX_POLL_CHOICES } from '../network-limits.ts'
import { findAttachment } from '../phones/describe-content.ts'
import { MENU_FORMS, type Option } from '../phones/describe-menu.ts'
import { sendTap } from '../phones/phone-menus.ts'
import { sendVote } from '../phones/phone-polls.ts'
import { type Change, sendChange } from '../phones/send-change.ts'
import type { Account } from '../store/account-table.ts'
import { Name, readBody, requireMessage, requirePhone } from './control-body.ts'
import { createProblem } from './problem.ts'
import { NewMessage, sendNewMessage } from './send-new-message.ts'

const Receipt = z.strictObject({ by: Name, type: z.enum(['delivered', 'read', 'played']) })
const Reaction = z.strictObject({ by: Name, text: z.string().max(64).default('') })
/** Without days the message is unpinned. */
const Pin = z.strictObject({ by: Name, days: z.int().min(0).max(30).default(0) })
const Edit = z.strictObject({ by: Name, text: z.string().min(1).max(65_536) })
/** Without choices the vote is withdrawn. */
const Vote = z.strictObject({ by: Name, choices: z.array(z.string()).max(MAX_POLL_CHOICES) })
/** `choice`: the id of an option. `as`: answers in the form of another kind of menu, as some phones do. */
const Tap = z.strictObject({ by: Name, choice: z.string(), as: z.enum(MENU_FORMS).optional() })
/** What becomes of the phone's copy of a file that the media hosts no longer have. */
const MediaDeletion = z.strictObject({ phone: z.enum(['kept', 'lost', 'offline']).default('kept') })
const Revoke = z.strictObject({ by: Name, text: z.string().optional() })

export function createMessageRoutes(network: Network) {
  return new Hono()
    .post('/', async (c) => {
      const input = await readBody(c, NewMessage)
      const ids = await sendNewMessage(network, input)
      return c.json(input.count === undefined ? { id: ids[0] } : { ids })
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
      return c.json({ id: await applyChange(network, c.req.param('id'), by, { kind: 'react', text }) })
    })

    .post('/:id/edit', async (c) => {
      const { by, text } = await readBody(c, Edit)
      return c.json({ id: await applyChange(network, c.req.param('id'), by, { kind: 'edit', text }) })
    })

    .post('/:id/pin', async (c) => {
      const { by, days } = await readBody(c, Pin)
      const change = { kind: 'pin', seconds: days * 86_400 } as const
      return c.json({ id: await applyChange(network, c.req.param('id'), by, change) })
    })

    .post('/:id/vote', async (c) => {
      const { by: name, choices } = await readBody(c, Vote)
      return c.json({ id: await castVote(network, c.req.param('id'), requirePhone(network, name), choices) })
    })

    .post('/:id/tap', async (c) => {
      const input = await readBody(c, Tap)
      return c.json({ id: await tapMenu(network, c.req.param('id'), requirePhone(network, input.by), input) })
    })

    .post('/:id/revoke', async (c) => {
      const { by } = await readBody(c, Revoke)
      return c.json({ id: await applyChange(network, c.req.param('id'), by, { kind: 'revoke' }) })
    })
}

async function castVote(network: Network, id: string, by: Account, choices: string[]) {
  const message = requireMessage(network, id)
  const creator = requirePhone(network, message.sender)
  const chat = findChat(network, message)
  const poll = network.store.polls.find(id, creator.number)
  if (poll === undefined || chat === undefined) throw createProblem(400, 'this message is no poll')
  const isVoter = by.number === creator.number || isReader(network, message, by)
  if (!isVoter) throw createProblem(400, 'this phone has no part in the poll', 'by')
  const unknown = choices.find((choice) => !poll.choices.includes(choice))
  if (unknown !== undefined) throw createProblem(400, `no such choice: ${unknown}`, 'choices')
  const max = poll.selectable || poll.choices.length
  if (choices.length > max) throw createProblem(400, `more than ${max} choices`, 'choices')
  return sendVote(network, by, { message, creator, chat }, poll, choices)
}

type Shown = { id: string; type: string; menu: (typeof MENU_FORMS)[number]; options: Option[] }

function tapMenu(network: Network, id: string, by: Account, { choice, as }: z.infer<typeof Tap>) {
  const message = requireMessage(network, id)
  const author = requirePhone(network, message.sender)
  const chat = findChat(network, message)
  const inbox = network.store.inbox.listAll(by.number) as Shown[]
  const shown = inbox.find((one) => one.id === id && one.type === 'menu')
  if (shown === undefined || chat === undefined)
    throw createProblem(400, 'this phone shows no such menu', 'by')
  const option = shown.options.find((one) => one.id === choice && one.opens === undefined)
  if (option === undefined) throw createProblem(400, `no such choice: ${choice}`, 'choice')
  const to = isGroupChat(chat) ? chat : author
  return sendTap(network, by, { message, author, chat: to }, as ?? shown.menu, option)
}

function applyChange(
  network: Network,
  id: string,
  name: string,
  change: { kind: Change; text?: string; seconds?: number },
) {
  const { kind } = change
  const message = requireMessage(network, id)
  const by = requirePhone(network, name)
  const own = by.number === message.sender
  if (!own && !isReader(network, message, by)) {
    throw createProblem(400, 'this phone has no part in the message', 'by')
  }
  const chat = findChat(network, message)
  const asAdmin = kind === 'revoke' && chat !== undefined && isGroupChat(chat) && isLeader(network, chat, by)
  if (!own && kind !== 'react' && kind !== 'pin' && !asAdmin)
    throw createProblem(400, 'only its sender may change a message', 'by')
  return sendChange(network, by, message, change)
}
