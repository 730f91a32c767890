// Who calls, and which instance a path names: by its handle, by the name that the handle was made of, or by its id.

import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Context } from 'hono'
import { placeCredential } from '../http/dialect-credential.ts'
import { decodeSegment } from '../http/request-target.ts'
import { isUuid } from '../http/uuid.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import type { Env } from '../settings/env.ts'
import type { InstanceRow } from '../store/instance-queries.ts'

/** Routes whose last segment is no instance. */
const NAMELESS = /^\/(instance\/(create|fetchInstances))?$/

/** Returns the request with the credential where the contract has it. */
export async function identifyCaller(env: Env, request: Request): Promise<Request> {
  const name = readInstanceName(new URL(request.url).pathname)
  const headers = await placeCredential(env, request.headers, {
    token: request.headers.get('apikey') ?? '',
    header: 'apikey',
    instanceName: isUuid(name) ? name : toHandle(name),
  })
  return new Request(request, { headers })
}

/** The last segment of a path; empty if it names no instance. */
export const readInstanceName = (path: string): string =>
  NAMELESS.test(path) ? '' : decodeSegment(path.slice(path.lastIndexOf('/') + 1))

/** Any name may be chosen; what a handle cannot have, or be, becomes a hyphen. */
export const toHandle = (name: string): string => name.replace(/[^A-Za-z0-9._-]+|^\.{1,2}$/g, '-')

/** By which answers and webhooks name it: a name that leads to it. */
export const nameInstance = ({ id, name, handle }: Pick<InstanceRow, 'id' | 'name' | 'handle'>): string =>
  handle && toHandle(name) === handle ? name : handle || id

/** Throws unless the path names the instance of the caller. */
export function requireNamed(c: Context<EdgeEnv>, name = ''): InstanceRow {
  const { actor, instance } = c.var
  if (instance.handle === toHandle(name) || instance.id === name.toLowerCase()) return instance
  throw new Fault(actor.kind === 'instance' ? 'unauthorized' : 'instance_not_found')
}
