// Faults: errors that the network makes on request.
import { Hono } from 'hono'
import * as z from 'zod'
import type { Network } from '../network/simulated-network.ts'
import { buildStreamError, buildStreamErrorWithCause } from '../network/stream-errors.ts'
import { MEDIA_HOSTS } from '../server/media-servers.ts'
import { Name, readBody, requireGroup, requirePhone } from './control-body.ts'

const target = { number: Name.optional(), count: z.int().positive().optional() }
const chat = { ...target, group: Name.optional() }
/** Of messages: so many are spared first. */
const spared = { ...chat, skip: z.int().positive().optional() }
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
  z.strictObject({ kind: z.enum(['garble', 'duplicate', 'lost_ack', 'lost_notice']), ...spared }),
  z.strictObject({ kind: z.literal('ack_error'), code, ...spared }),
  z.strictObject({ kind: z.enum(['welcome', 'empty_devices']), ...target }),
  z.strictObject({ kind: z.literal('leave_out'), whom: Name, xmlns: z.string().optional(), ...target }),
  z.strictObject({
    kind: z.literal('media'),
    host: z.int().min(1).max(MEDIA_HOSTS).optional(),
    direction: z.enum(['upload', 'download']).optional(),
    code: code.optional(),
    silent: z.boolean().optional(),
    partial: z.boolean().optional(),
    count: target.count,
  }),
])

export function createFaultRoutes(network: Network) {
  return new Hono()
    .post('/', async (c) => {
      const { count, ...body } = await readBody(c, NewFault)
      const { number: name, skip, ...input } = { number: undefined, skip: undefined, ...body }
      const number = name === undefined ? undefined : requirePhone(network, name).number
      if (input.kind === 'close') {
        closeSockets(network, number, input)
        return c.json({ id: network.faults.createId() })
      }
      if (input.kind === 'half_open') {
        for (const { socket } of network.connections.listConnections(number)) socket.stopResponding()
        return c.json({ id: network.faults.createId() })
      }
      if ('group' in input && input.group !== undefined) requireGroup(network, input.group)
      if (input.kind === 'leave_out') input.whom = requirePhone(network, input.whom).number
      return c.json({ id: network.faults.addFault({ ...input, number }, count, skip) })
    })

    .delete('/', (c) => {
      network.faults.clearFaults()
      return c.json({ faults: 0 })
    })

    .delete('/:id', (c) => c.json({ ended: network.faults.endFault(c.req.param('id')) }))
}

type Close = {
  code?: number | undefined
  child?: string | undefined
  attrs?: Record<string, string> | undefined
}

function closeSockets(network: Network, number: string | undefined, { code, child, attrs }: Close) {
  for (const { socket } of network.connections.listConnections(number)) {
    if (child !== undefined) socket.endWith(buildStreamErrorWithCause(child, attrs, code))
    else if (code === undefined) socket.drop()
    else socket.endWith(buildStreamError(code))
  }
}
