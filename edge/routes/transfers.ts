// Handlers for transfers: a host downloads or uploads bytes under the name that an act has given it.

import type { Context } from 'hono'
import { Fault } from '../../shared/faults.ts'
import type { EdgeEnv } from '../context.ts'
import { linkOf, transferUrl } from '../hosts/links.ts'
import type { Handlers } from '../http/serve.ts'

const NAME = /^[\w-]{1,64}$/

export const transferHandlers = {
  downloadTransfer: (c, { query }) => atLink(c, query.name, { method: 'GET' }),
  uploadTransfer: (c, { query }) =>
    atLink(c, query.name, { method: 'PUT', body: c.req.raw.body ?? new Uint8Array() }),
} satisfies Partial<Handlers>

async function atLink(c: Context<EdgeEnv>, name: string, request: RequestInit): Promise<Response> {
  if (!NAME.test(name)) throw new Fault('invalid_query', 'name must be the name of a transfer.')
  const answer = await linkOf(c.env, c.var.host.id).fetch(transferUrl(name), request)
  if (!answer.ok) throw new Fault('media_unavailable')
  return new Response(answer.body, { headers: { 'content-type': 'application/octet-stream' } })
}
