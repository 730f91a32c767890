// Calls: one phone calls another, and the call is accepted, rejected or ended.
import { Hono } from 'hono'
import { z } from 'zod'
import { changeCallState, ringCompanions } from '../calls/ring-companions.ts'
import { type Call, mayBecome } from '../network/call-registry.ts'
import type { Network } from '../network/simulated-network.ts'
import { Name, readBody, requirePhone } from './control-body.ts'
import { createProblem } from './problem.ts'

const NewCall = z.strictObject({
  from: Name,
  to: Name,
  video: z.boolean().default(false),
  addressing: z.enum(['pn', 'lid']).default('pn'),
})
const StateChange = z.strictObject({ state: z.enum(['accept', 'reject', 'timeout', 'terminate']) })

export function createCallRoutes(network: Network) {
  return new Hono()
    .post('/', async (c) => {
      const input = await readBody(c, NewCall)
      const from = requirePhone(network, input.from)
      const to = requirePhone(network, input.to)
      if (from.number === to.number) throw createProblem(400, 'a phone cannot call itself', 'to')
      const { video, addressing: form } = input
      const call = network.calls.startCall({ from: from.number, to: to.number, video, form })
      ringCompanions(network, call)
      return c.json({ callId: call.id })
    })

    .get('/:id', (c) => c.json(describeCall(requireCall(c.req.param('id')))))

    .post('/:id/state', async (c) => {
      const { state } = await readBody(c, StateChange)
      const call = requireCall(c.req.param('id'))
      if (!mayBecome(call, state)) throw createProblem(409, `the call is past that: ${call.state}`, 'state')
      changeCallState(network, call, state)
      return c.json(describeCall(call))
    })

  function requireCall(id: string): Call {
    const call = network.calls.findCall(id)
    if (call === undefined) throw createProblem(404, `no call ${id}`)
    return call
  }
}

function describeCall({ id, from, to, video, state, rejectedBy }: Call) {
  return { callId: id, from, to, video, state, ...(rejectedBy !== undefined && { rejectedBy }) }
}
