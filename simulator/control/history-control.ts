// The history that phones send to their companions: chunk by chunk, or a long past.
import { Hono } from 'hono'
import * as z from 'zod'
import type { Network } from '../network/simulated-network.ts'
import { formatSeconds } from '../network/stanza-ids.ts'
import { sendChunk } from '../phones/phone-history.ts'
import { CHUNK_TYPES } from '../store/history-table.ts'
import { Name, readBody, requirePhone } from './control-body.ts'

const Chat = z.strictObject({
  with: Name,
  addressing: z.enum(['pn', 'lid']).optional(),
  name: z.string().max(10_000).optional(),
  messages: z.int().min(0).max(100_000).optional(),
  sentAt: z.array(z.int().min(0)).max(100_000).optional(),
  written: z.array(z.string()).max(1000).optional(),
  messageBytes: z.int().min(1).max(1_000_000).optional(),
  token: z.base64().min(4).optional(),
  tokenAt: z.int().min(0).optional(),
  timer: z.int().min(0).optional(),
})
export const NewChunk = z.strictObject({
  type: z.enum(CHUNK_TYPES),
  inline: z.boolean().optional(),
  progress: z.int().min(0).max(100).optional(),
  order: z.int().min(0).optional(),
  chats: z.array(Chat).max(50_000).optional(),
  pairs: z.array(Name).max(50_000).optional(),
  pushNames: z
    .array(z.strictObject({ number: Name, name: z.string() }))
    .max(50_000)
    .optional(),
  raw: z.base64().min(4).optional(),
  lost: z.boolean().optional(),
})

const NewPast = z.strictObject({
  chats: z.int().min(1).max(5000),
  messages: z.int().min(0).max(1_000_000),
  groups: z.int().min(0).max(5000).default(0),
  days: z.int().min(1).max(5000).default(730),
  textBytes: z.int().min(1).max(10_000).default(60),
  with: z.array(Name).max(100).default([]),
})

export function createHistoryRoutes(network: Network) {
  const routes = new Hono().post('/:number/past', async (c) => {
    const account = requirePhone(network, c.req.param('number'))
    const { chats, messages, ...rest } = await readBody(c, NewPast)
    const past = { chats, messages, ...rest, newestAt: Number(formatSeconds()) - 60 }
    network.store.pasts.set(account.number, past)
    return c.json({ chats, messages })
  })
  return routes.post('/:number/history', async (c) => {
    const account = requirePhone(network, c.req.param('number'))
    const chunk = await readBody(c, NewChunk)
    const ids: string[] = []
    for (const { device } of network.store.companions.listByNumber(account.number)) {
      const id = await sendChunk(network, account, device, chunk)
      if (id !== undefined) ids.push(id)
    }
    return c.json({ ids })
  })
}
