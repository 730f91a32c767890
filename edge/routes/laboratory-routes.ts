// Passes requests of the console's laboratory to the listener of `npm start`, while it simulates the network.

import type { Context } from 'hono'
import { Fault } from '../../shared/fault-table.ts'
import type { EdgeEnv } from '../request-context.ts'

export const LABORATORY = '/console/laboratory'

/** Without a simulated network, for example on Cloudflare, the route does not exist. */
export async function forwardToLaboratory(c: Context<EdgeEnv>): Promise<Response> {
  const { LABORATORY_URL, LABORATORY_KEY } = c.env
  if (!LABORATORY_URL || !LABORATORY_KEY) throw new Fault('not_found')
  const { pathname, search } = new URL(c.req.url)
  const body = c.req.method === 'GET' ? undefined : await c.req.arrayBuffer()
  const answer = await c.env.runtime.fetch(
    'allowlisted',
    `${LABORATORY_URL}${pathname.slice(LABORATORY.length)}${search}`,
    {
      method: c.req.method,
      headers: { authorization: `Bearer ${LABORATORY_KEY}` },
      ...(body?.byteLength && { body }),
    },
  )
  return c.body(await answer.text(), answer.status as 200, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
  })
}
