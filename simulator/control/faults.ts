// Faults: errors that the network makes on request.
import { Hono } from 'hono'
import * as z from 'zod'
import { MEDIA_HOSTS } from '../media/host.ts'
import type { Network } from '../network/network.ts'
import { streamError, streamErrorOf } from '../network/stream-errors.ts'
import { bodyOf, groupNamed, Name, phoneNamed } from './body.ts'

const target = { number: Name.optional(), count: z.int().positive().optional() }
const chat = { ...target, group: Name.optional() }
const request = { ...chat, xmlns: z.string().optional(), tag: z.string().optional() }
const code = z.int().min(400).max(599)
/** The child of a stream error, empty for an error without one, and its attributes. */
const cause = {
  child: z
    .string()
    .regex(/^[\w:-]{0,60}$/)
    .optional(),
  attrs: z.record(z.string(), z.string()).optional(),
}

export const NewFault = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('silent'), ...request }),
  z.strictObject({ kind: z.literal('refuse'), code, ...request }),
  z.strictObject({ kind: z.literal('slow'), ms: z.int().positive().max(600_000), ...request }),
  z.strictObject({ kind: z.literal('close'), code: code.optional(), ...cause, ...target }),
  z.strictObject({ kind: z.literal('half_open'), ...target }),
  z.strictObject({ kind: z.literal('unreachable'), ...target }),
  z.strictObject({ kind: z.literal('login'), code, ...target }),
  z.strictObject({ kind: z.enum(['garble', 'duplicate', 'lost_ack', 'lost_notice']), ...chat }),
  z.strictObject({ kind: z.literal('ack_error'), code, ...chat }),
  z.strictObject({ kind: z.enum(['welcome', 'empty_devices']), ...target }),
  z.strictObject({ kind: z.literal('leave_out'), whom: Name, xmlns: z.string().optional(), ...target }),
  z.strictObject({
    kind: z.literal('media'),
    host: z.int().min(1).max(MEDIA_HOSTS).optional(),
    direction: z.enum(['upload', 'download']).optional(),
    code: code.optional(),
    silent: z.boolean().optional(),
    count: target.count,
  }),
])

export function faultRoutes(network: Network) {
  return new Hono()
    .post('/', async (c) => {
      const { count, ...asked } = await bodyOf(c, NewFault)
      const { number: name, ...wish } = { number: undefined, ...asked }
      const number = name === undefined ? undefined : phoneNamed(network, name).number
      if (wish.kind === 'close') {
        closeNow(network, number, wish)
        return c.json({ id: network.faults.nextId() })
      }
      if (wish.kind === 'half_open') {
        for (const { socket } of network.connections.of(number)) socket.fallSilent()
        return c.json({ id: network.faults.nextId() })
      }
      if ('group' in wish && wish.group !== undefined) groupNamed(network, wish.group)
      if (wish.kind === 'leave_out') wish.whom = phoneNamed(network, wish.whom).number
      return c.json({ id: network.faults.begin({ ...wish, number }, count) })
    })

    .delete('/', (c) => {
      network.faults.endAll()
      return c.json({ faults: 0 })
    })
}

type Close = {
  code?: number | undefined
  child?: string | undefined
  attrs?: Record<string, string> | undefined
}

function closeNow(network: Network, number: string | undefined, { code, child, attrs }: Close) {
  for (const { socket } of network.connections.of(number)) {
    if (child !== undefined) socket.end(streamErrorOf(child, attrs, code))
    else if (code === undefined) socket.drop()
    else socket.end(streamError(code))
  }
}
