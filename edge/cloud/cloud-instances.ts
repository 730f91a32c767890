// Who calls, and which instance a path names: by its handle, its id, or the digits of its account.

import { Fault } from '@msgnet/shared/fault-table.ts'
import { extractPhone } from '@msgnet/shared/jid.ts'
import type { Context } from 'hono'
import { placeCredential } from '../http/dialect-credential.ts'
import { decodeSegment } from '../http/request-target.ts'
import { BEARER_PLACE, rememberPlaces } from '../http/unauthorized.ts'
import { isUuid } from '../http/uuid.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import type { Env } from '../settings/env.ts'
import type { InstanceRow } from '../store/instance-queries.ts'

/** Returns the request with the credential where the contract has it. */
export async function identifyCaller(env: Env, request: Request): Promise<Request> {
  const url = new URL(request.url)
  const [, inHeader] = /^(?:Bearer|OAuth) +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
  const token = inHeader ?? url.searchParams.get('access_token') ?? ''
  url.searchParams.delete('access_token')
  const [instanceName = ''] = url.pathname.split('/').filter(Boolean).map(decodeSegment)
  const headers = await placeCredential(env, request.headers, {
    token: isHeaderValue(token) ? token : '',
    header: 'authorization',
    instanceName: instanceName || 'none',
  })
  const identified = new Request(new Request(url, request), { headers })
  const place = inHeader === undefined && token !== '' ? 'parameter access_token' : BEARER_PLACE
  rememberPlaces(identified, { token: place, admintoken: place })
  return identified
}

const isHeaderValue = (value: string): boolean => /^[\x21-\x7e]+$/.test(value)

/** By which webhooks and answers name it. */
export const nameInstance = ({ id, handle }: Pick<InstanceRow, 'id' | 'handle'>): string => handle ?? id

/** Throws unless the path names the instance of the caller. */
export function requireNamed(c: Context<EdgeEnv>, name = ''): InstanceRow {
  const { instance } = c.var
  if (!isNamedBy(instance, name))
    throw new Fault('instance_not_found', `Object with ID '${name.slice(0, 100)}' does not exist.`)
  return instance
}

export const isNamedBy = ({ id, handle, jid }: InstanceRow, name: string): boolean =>
  name !== '' &&
  (name === handle || name === extractPhone(jid) || (isUuid(name) && name.toLowerCase() === id))
