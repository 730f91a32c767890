// The history that phones send to their companions.
import { Hono } from 'hono'
import * as z from 'zod'
import type { Network } from '../network/simulated-network.ts'
import { sendChunk } from '../phones/phone-history.ts'
import { CHUNK_TYPES } from '../store/history-table.ts'
import { Name, readBody, requirePhone } from './control-body.ts'

const Chat = z.strictObject({
  with: Name,
  addressing: z.enum(['pn', 'lid']).optional(),
  name: z.string().max(10_000).optional(),
  messages: z.int().min(0).max(100_000).optional(),
  messageBytes: z.int().min(1).max(1_000_000).optional(),
  token: z.base64().min(4).optional(),
  tokenAt: z.int().min(0).optional(),
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

export function createHistoryRoutes(network: Network) {
  return new Hono().post('/:number/history', async (c) => {
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
