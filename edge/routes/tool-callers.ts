// Who calls `/mcp`: the tokens of the request, the tools that they allow, and the credential that a call passes on.

import type { RouteTool } from '@msgnet/shared/api/route-tool.ts'
import { includesScope, type Scope } from '@msgnet/shared/contract/admin-scope.ts'
import type { Context, MiddlewareHandler } from 'hono'
import { rejectTwoCredentials } from '../http/act-for-instance.ts'
import { isAdminCredential } from '../http/admin-credential.ts'
import { explainRefusal, requireAdminToken, requireInstanceToken } from '../http/auth.ts'
import { BEARER_PLACE, createUnauthorizedFault, rememberPlaces } from '../http/unauthorized.ts'
import type { EdgeEnv } from '../request/request-context.ts'

const BEARER = /^Bearer +(\S+)$/i

/** Many agents can only send `Authorization: Bearer`: it stands for the header of its kind of token. */
export const acceptBearerToken: MiddlewareHandler<EdgeEnv> = async (c, next) => {
  const sent = c.req.header('authorization')
  if (sent === undefined) return next()
  const token = BEARER.exec(sent)?.[1]
  if (!token) throw createUnauthorizedFault(c.req.raw, 'Authorization: Bearer', sent)
  const headers = new Headers(c.req.raw.headers)
  headers.delete('authorization')
  // That of an instance may have any form: one may have been chosen for it. Where its header was sent too, both are a value that no token has.
  const name = (await isAdminCredential(c.env, token)) ? 'admintoken' : 'token'
  headers.append(name, token)
  c.req.raw = new Request(c.req.raw, { headers })
  if (headers.get(name) === token) rememberPlaces(c.req.raw, { [name]: BEARER_PLACE })
  await next()
}

/** Each call is a request to its route, which says what it needs. */
const ANY_SCOPE = { tokenScope: 'read', chats: 'none' } as const

/** One of the two tokens is enough, but each token that is sent must be valid. Returns the scope of the admin token. */
export async function authenticateCaller(c: Context<EdgeEnv>): Promise<Scope | undefined> {
  rejectTwoCredentials(c)
  const isAdmin = c.req.header('admintoken') !== undefined
  const isInstance = c.req.header('token') !== undefined
  if (!isAdmin && !isInstance) throw createUnauthorizedFault(c.req.raw, 'token', undefined)
  const goOn = async () => undefined
  if (isAdmin) await requireAdminToken('read')(c, goOn)
  const scope = isAdmin ? c.get('actor').scope : undefined
  if (isInstance) await requireInstanceToken(ANY_SCOPE)(c, goOn)
  return scope
}

/** Whether the tokens have a credential for the tool's route at all. A call with too small a scope is refused there, and audited. */
export const hasCredential = (c: Context<EdgeEnv>, { request }: RouteTool): boolean =>
  Object.keys(copyCredential(c, request.auth)).length > 0

/** Whether its scope suffices as well: only such tools are listed. */
export const isAllowed = (c: Context<EdgeEnv>, tool: RouteTool, scope: Scope | undefined): boolean =>
  hasCredential(c, tool) &&
  isGranted(c, tool) &&
  (isOwnTool(c, tool) || (scope && includesScope(scope, tool.request.scope)) === true)

/** Whether a scoped token may call it; true for any other. */
function isGranted(c: Context<EdgeEnv>, tool: RouteTool): boolean {
  const { grant } = c.get('actor')
  return !grant || !isOwnTool(c, tool) || explainRefusal(grant, tool.request) === undefined
}

const isOwnTool = (c: Context<EdgeEnv>, { request }: RouteTool): boolean =>
  request.auth === 'instance' && copyCredential(c, 'instance').admintoken === undefined

/** The headers of this request that a route with this credential takes; none if it has none. */
export function copyCredential(
  c: Context<EdgeEnv>,
  auth: 'admin' | 'instance',
): { admintoken?: string; instance?: string; token?: string } {
  const admintoken = c.req.header('admintoken')
  const instance = c.req.header('instance')
  const token = c.req.header('token')
  if (auth === 'admin') return admintoken === undefined ? {} : { admintoken }
  if (admintoken !== undefined && instance !== undefined) return { admintoken, instance }
  return token === undefined ? {} : { token }
}
