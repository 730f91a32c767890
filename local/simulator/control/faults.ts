// Faults: errors that the network makes on request.
import { Hono } from 'hono'
import * as z from 'zod'
import type { Network } from '../network/network.ts'
import { streamError } from '../network/stream-errors.ts'
import { bodyOf, groupNamed, Name, phoneNamed } from './body.ts'

const target = { number: Name.optional(), count: z.int().positive().optional() }
const chat = { ...target, group: Name.optional() }
const request = { ...chat, xmlns: z.string().optional(), tag: z.string().optional() }
const code = z.int().min(400).max(599)

const NewFault = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('silent'), ...request }),
  z.strictObject({ kind: z.literal('refuse'), code, ...request }),
  z.strictObject({ kind: z.literal('slow'), ms: z.int().positive().max(600_000), ...request }),
  z.strictObject({ kind: z.literal('close'), code: code.optional(), ...target }),
  z.strictObject({ kind: z.literal('half_open'), ...target }),
  z.strictObject({ kind: z.literal('unreachable'), ...target }),
  z.strictObject({ kind: z.literal('login'), code, ...target }),
  z.strictObject({ kind: z.enum(['garble', 'duplicate', 'lost_ack']), ...chat }),
  z.strictObject({ kind: z.literal('ack_error'), code, ...chat }),
])

export function faultRoutes(network: Network) {
  return new Hono()
    .post('/', async (c) => {
      const { count, number: name, ...wish } = await bodyOf(c, NewFault)
      const number = name === undefined ? undefined : phoneNamed(network, name).number
      if (wish.kind === 'close') {
        closeNow(network, number, wish.code)
        return c.json({ id: network.faults.nextId() })
      }
      if (wish.kind === 'half_open') {
        for (const { socket } of network.connections.of(number)) socket.fallSilent()
        return c.json({ id: network.faults.nextId() })
      }
      if ('group' in wish && wish.group !== undefined) groupNamed(network, wish.group)
      return c.json({ id: network.faults.begin({ ...wish, number }, count) })
    })

    .delete('/', (c) => {
      network.faults.endAll()
      return c.json({ faults: 0 })
    })
}

function closeNow(network: Network, number: string | undefined, code: number | undefined) {
  for (const { socket } of network.connections.of(number)) {
    if (code === undefined) socket.drop()
    else socket.end(streamError(code))
  }
}
