// Changes that phones make of messages: reactions, edits, pins, deletions; and comments, answers and choices under their secret.
import { Hono } from 'hono'
import * as z from 'zod'
import { isLeader } from '../groups/group-rules.ts'
import { findChat, isGroupChat, isReader } from '../network/message-chats.ts'
import type { Network } from '../network/simulated-network.ts'
import { CHANGE_FORMS, type Change, type ChangeRequest, sendChange } from '../phones/send-change.ts'
import { EVENT_ANSWERS } from '../phones/write-sealed.ts'
import { Name, readBody, requireMessage, requirePhone } from './control-body.ts'
import { createProblem } from './problem.ts'

/** Of a change: sealed under the message's secret, as phones do, unless it is set; `garbled`: sealed, with a wrong tag. */
const form = z.enum(CHANGE_FORMS).optional()
/** Phones seal reactions in groups only. */
const Reaction = z.strictObject({ by: Name, text: z.string().max(64).default(''), form })
/** Without days the message is unpinned. */
const Pin = z.strictObject({ by: Name, days: z.int().min(0).max(30).default(0) })
/** `forged`: also by somebody else who has the message. */
const Edit = z.strictObject({
  by: Name,
  text: z.string().min(1).max(65_536),
  form,
  forged: z.boolean().default(false),
})
const Comment = z.strictObject({ by: Name, text: z.string().min(1).max(65_536), form })
const Answer = z.strictObject({ by: Name, response: z.enum(EVENT_ANSWERS) })
const Choice = z.strictObject({ by: Name, choice: z.string().min(1).max(100) })
const Revoke = z.strictObject({ by: Name, text: z.string().optional() })

export function createChangeRoutes(network: Network) {
  return new Hono()
    .post('/:id/react', async (c) => {
      const { by, ...reaction } = await readBody(c, Reaction)
      return c.json({ id: await applyChange(network, c.req.param('id'), by, { kind: 'react', ...reaction }) })
    })

    .post('/:id/edit', async (c) => {
      const { by, ...edit } = await readBody(c, Edit)
      return c.json({ id: await applyChange(network, c.req.param('id'), by, { kind: 'edit', ...edit }) })
    })

    .post('/:id/comment', async (c) => {
      const { by, ...comment } = await readBody(c, Comment)
      return c.json({
        id: await applyChange(network, c.req.param('id'), by, { kind: 'comment', ...comment }),
      })
    })

    .post('/:id/answer', async (c) => {
      const { by, response: text } = await readBody(c, Answer)
      return c.json({ id: await applyChange(network, c.req.param('id'), by, { kind: 'answer', text }) })
    })

    .post('/:id/choice', async (c) => {
      const { by, choice } = await readBody(c, Choice)
      return c.json({ id: await addChoice(network, c.req.param('id'), by, choice) })
    })

    .post('/:id/pin', async (c) => {
      const { by, days } = await readBody(c, Pin)
      const change = { kind: 'pin', seconds: days * 86_400 } as const
      return c.json({ id: await applyChange(network, c.req.param('id'), by, change) })
    })

    .post('/:id/revoke', async (c) => {
      const { by } = await readBody(c, Revoke)
      return c.json({ id: await applyChange(network, c.req.param('id'), by, { kind: 'revoke' }) })
    })
}

async function addChoice(network: Network, id: string, by: string, choice: string) {
  const { sender } = requireMessage(network, id)
  if (!network.store.polls.addChoice(id, sender, choice))
    throw createProblem(400, 'this message is no poll, or has this choice, or no room for it')
  return applyChange(network, id, by, { kind: 'choice', text: choice })
}

/** Others than its author change a message so. */
const BY_ANYBODY: Change[] = ['react', 'pin', 'comment', 'answer', 'choice']

function applyChange(
  network: Network,
  id: string,
  name: string,
  { forged = false, ...change }: ChangeRequest & { forged?: boolean },
) {
  const { kind } = change
  const message = requireMessage(network, id)
  const by = requirePhone(network, name)
  const own = by.number === message.sender
  if (!own && !isReader(network, message, by)) {
    throw createProblem(400, 'this phone has no part in the message', 'by')
  }
  const chat = findChat(network, message)
  if (chat === undefined)
    throw createProblem(400, 'a status post is changed by a new one of this `kind`, which names its viewers')
  const asAdmin = kind === 'revoke' && isGroupChat(chat) && isLeader(network, chat, by)
  if (!own && !BY_ANYBODY.includes(kind) && !asAdmin && !forged)
    throw createProblem(400, 'only its sender may change a message', 'by')
  return sendChange(network, by, message, change)
}
