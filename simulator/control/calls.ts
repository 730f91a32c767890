// Calls: one phone calls another, and the call is accepted, rejected or ended.
import { Hono } from 'hono'
import { z } from 'zod'
import { type Call, mayBecome } from '../calls/calls.ts'
import { ring, turn } from '../calls/ringing.ts'
import type { Network } from '../network/network.ts'
import { bodyOf, Name, phoneNamed } from './body.ts'
import { problem } from './problem.ts'

const NewCall = z.strictObject({
  from: Name,
  to: Name,
  video: z.boolean().default(false),
  addressing: z.enum(['pn', 'lid']).default('pn'),
})
const Turn = z.strictObject({ state: z.enum(['accept', 'reject', 'timeout', 'terminate']) })

export function callRoutes(network: Network) {
  return new Hono()
    .post('/', async (c) => {
      const wish = await bodyOf(c, NewCall)
      const from = phoneNamed(network, wish.from)
      const to = phoneNamed(network, wish.to)
      if (from.number === to.number) throw problem(400, 'nobody calls himself', 'to')
      const { video, addressing: form } = wish
      const call = network.calls.begin({ from: from.number, to: to.number, video, form })
      ring(network, call)
      return c.json({ callId: call.id })
    })

    .get('/:id', (c) => c.json(described(callNamed(c.req.param('id')))))

    .post('/:id/state', async (c) => {
      const { state } = await bodyOf(c, Turn)
      const call = callNamed(c.req.param('id'))
      if (!mayBecome(call, state)) throw problem(409, `the call is past that: ${call.state}`, 'state')
      turn(network, call, state)
      return c.json(described(call))
    })

  function callNamed(id: string): Call {
    const call = network.calls.find(id)
    if (call === undefined) throw problem(404, `no call ${id}`)
    return call
  }
}

function described({ id, from, to, video, state, rejectedBy }: Call) {
  return { callId: id, from, to, video, state, ...(rejectedBy !== undefined && { rejectedBy }) }
}
