// Messages from phones: new ones, and changes of existing ones.
import { Hono } from 'hono'
import * as z from 'zod'
import { proto } from '../codec/protobuf.ts'
import { deliverReceipt } from '../messages/deliver-receipt.ts'
import { findChat, isGroupChat, isReader } from '../network/message-chats.ts'
import type { Network } from '../network/simulated-network.ts'
import { MAX_POLL_CHOICES } from '../network-limits.ts'
import { findAttachment } from '../phones/describe-content.ts'
import { MENU_FORMS, type Option } from '../phones/describe-menu.ts'
import { sendTap } from '../phones/phone-menus.ts'
import { sendVote } from '../phones/phone-polls.ts'
import { sendFromPhone } from '../phones/send-from-phone.ts'
import type { Account } from '../store/account-table.ts'
import type { Message } from '../store/message-table.ts'
import { Name, readBody, requireMessage, requirePhone } from './control-body.ts'
import { createProblem } from './problem.ts'
import { NewMessage, sendNewMessage } from './send-new-message.ts'

const Receipt = z.strictObject({ by: Name, type: z.enum(['delivered', 'read', 'played']) })
/** Without choices the vote is withdrawn. */
const Vote = z.strictObject({
  by: Name,
  choices: z.array(z.string()).max(MAX_POLL_CHOICES),
  garbled: z.boolean().optional(),
})
/** `choice`: the id of an option. `as`: answers in the form of another kind of menu, as some phones do. */
const Tap = z.strictObject({ by: Name, choice: z.string(), as: z.enum(MENU_FORMS).optional() })
/** What becomes of the phone's copy of a file that the media hosts no longer have. */
const MediaDeletion = z.strictObject({ phone: z.enum(['kept', 'lost', 'offline']).default('kept') })

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

    .post('/:id/deliver', async (c) => {
      await deliverHeld(network, requireMessage(network, c.req.param('id')))
      return c.json({ id: c.req.param('id') })
    })

    .post('/:id/vote', async (c) => {
      const { by: name, ...vote } = await readBody(c, Vote)
      return c.json({ id: await castVote(network, c.req.param('id'), requirePhone(network, name), vote) })
    })

    .post('/:id/tap', async (c) => {
      const input = await readBody(c, Tap)
      return c.json({ id: await tapMenu(network, c.req.param('id'), requirePhone(network, input.by), input) })
    })
}

async function castVote(network: Network, id: string, by: Account, vote: Omit<z.infer<typeof Vote>, 'by'>) {
  const { choices } = vote
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
  return sendVote(network, by, { message, creator, chat }, poll, vote)
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

/** Sends a message that was held to the companions. */
async function deliverHeld(network: Network, message: Message) {
  const { id, form, content } = message
  const to = findChat(network, message)
  if (!content || to === undefined) throw createProblem(400, 'this message is not of a phone')
  const from = requirePhone(network, message.sender)
  const written = proto.Message.decode(content)
  const type = findAttachment(written) ? 'media' : 'text'
  await sendFromPhone(network, { from, to, form, message: written, type, id })
}
