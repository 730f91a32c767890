// Bytes that travel beside a host's link: downloaded by the host, or uploaded by it, under a name that an act told it.

import type { Context } from 'hono'
import { Fault } from '../../shared/faults.ts'
import type { EdgeEnv } from '../context.ts'
import { linkOf, transferUrl } from '../hosts/links.ts'
import { authenticateHost } from '../http/auth.ts'

const NAME = /^[\w-]{1,64}$/

export async function downloadTransfer(c: Context<EdgeEnv>): Promise<Response> {
  return atLink(c, { method: 'GET' })
}

export async function uploadTransfer(c: Context<EdgeEnv>): Promise<Response> {
  return atLink(c, { method: 'PUT', body: c.req.raw.body ?? new Uint8Array() })
}

async function atLink(c: Context<EdgeEnv>, request: RequestInit): Promise<Response> {
  const { host } = await authenticateHost(c.env, c.req.header('authorization'))
  const name = c.req.query('name') ?? ''
  if (!NAME.test(name)) throw new Fault('invalid_query', 'name must be the name of a parcel.')
  const answer = await linkOf(c.env, host).fetch(transferUrl(name), request)
  if (!answer.ok) throw new Fault('media_unavailable')
  return new Response(answer.body, { headers: { 'content-type': 'application/octet-stream' } })
}
