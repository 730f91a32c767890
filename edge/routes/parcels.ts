// Bytes that travel beside a host's link: collected by the host, or brought by it, under a name that an act told it.

import type { Context } from 'hono'
import { Fault } from '../../shared/faults.ts'
import type { EdgeEnv } from '../context.ts'
import { linkOf } from '../hosts/links.ts'
import { authenticateHost } from '../http/auth.ts'

const NAME = /^[\w-]{1,64}$/

export async function collectParcel(c: Context<EdgeEnv>): Promise<Response> {
  return atLink(c, { method: 'GET' })
}

export async function bringParcel(c: Context<EdgeEnv>): Promise<Response> {
  return atLink(c, { method: 'PUT', body: c.req.raw.body ?? new Uint8Array() })
}

async function atLink(c: Context<EdgeEnv>, request: RequestInit): Promise<Response> {
  const { host } = await authenticateHost(c.env, c.req.header('authorization'))
  const name = c.req.query('name') ?? ''
  if (!NAME.test(name)) throw new Fault('invalid_query', 'name must be the name of a parcel.')
  const answer = await linkOf(c.env, host).fetch(parcelUrl(name), request)
  if (!answer.ok) throw new Fault('media_unavailable')
  return new Response(answer.body, { headers: { 'content-type': 'application/octet-stream' } })
}

/** Where a link object takes and hands out parcels. */
export const parcelUrl = (name: string): string => `https://host-link/parcels/${name}`
