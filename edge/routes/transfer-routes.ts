// Handlers for transfers: a host downloads or uploads bytes under the name in an act.

import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Context } from 'hono'
import type { Handlers } from '../http/serve-route.ts'
import type { EdgeEnv } from '../request/request-context.ts'

const NAME = /^[\w-]{1,64}$/

export const transferHandlers = {
  async downloadTransfer(c, { query }) {
    const bytes = await findLink(c).downloadTransfer(validateName(query.name))
    if (!bytes) throw new Fault('media_unavailable')
    return new Response(bytes, responseInit)
  },

  async uploadTransfer(c, { query }) {
    const arrived = await findLink(c).uploadTransfer(
      validateName(query.name),
      c.req.raw.body ?? new Blob([]).stream(),
    )
    if (!arrived) throw new Fault('media_unavailable')
    return new Response(null, responseInit)
  },
} satisfies Partial<Handlers>

const responseInit = { headers: { 'content-type': 'application/octet-stream' } }

const findLink = (c: Context<EdgeEnv>) => c.env.runtime.getLink(c.var.host.id)

function validateName(name: string): string {
  if (!NAME.test(name)) throw new Fault('invalid_query', 'name must be the name of a transfer.')
  return name
}
