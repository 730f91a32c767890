// Handlers for transfers: a host downloads or uploads bytes under the name that an act has given it.

import type { Context } from 'hono'
import { Fault } from '../../shared/faults.ts'
import type { EdgeEnv } from '../context.ts'
import type { Handlers } from '../http/serve.ts'

const NAME = /^[\w-]{1,64}$/

export const transferHandlers = {
  async downloadTransfer(c, { query }) {
    const bytes = await linkOf(c).download(judgeName(query.name))
    if (!bytes) throw new Fault('media_unavailable')
    return new Response(bytes, answered)
  },

  async uploadTransfer(c, { query }) {
    const arrived = await linkOf(c).upload(judgeName(query.name), c.req.raw.body ?? new Blob([]).stream())
    if (!arrived) throw new Fault('media_unavailable')
    return new Response(null, answered)
  },
} satisfies Partial<Handlers>

const answered = { headers: { 'content-type': 'application/octet-stream' } }

const linkOf = (c: Context<EdgeEnv>) => c.env.runtime.link(c.var.host.id)

function judgeName(name: string): string {
  if (!NAME.test(name)) throw new Fault('invalid_query', 'name must be the name of a transfer.')
  return name
}
