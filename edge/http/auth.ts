// Authentication of the admin, of instances and of session hosts. It runs before the body is read.

import type { Route } from '@msgnet/shared/api/route-declaration.ts'
import { includesScope, type Scope } from '@msgnet/shared/contract/admin-scope.ts'
import { includesTokenScope } from '@msgnet/shared/contract/scoped-token.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { isScopedToken } from '@msgnet/shared/random-tokens.ts'
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { KeyStore } from '../idempotency/key-store.ts'
import { adoptCaller, isOfKnownAdmin } from '../request/inner-request.ts'
import type { Actor, EdgeEnv, Prefetched } from '../request/request-context.ts'
import type { RequestContext } from '../runtime/runtime.ts'
import { findLiveAdminToken } from '../store/admin-token-queries.ts'
import { openStore, type Store } from '../store/database/open-store.ts'
import { findHostIdByToken } from '../store/host-queries.ts'
import { findInstanceById, findInstanceByToken, type InstanceRow } from '../store/instance-queries.ts'
import { findLiveScopedToken, type Grant } from '../store/scoped-token-queries.ts'
import { ADMIN_FORM, isRootToken } from './admin-credential.ts'
import { rememberCaller } from './known-callers.ts'
import { validateQuery } from './parse-query.ts'
import { countRequest, rejectExhausted } from './token-rates.ts'
import { recordTokenUse } from './token-uses.ts'
import { createUnauthorizedFault } from './unauthorized.ts'
import { isUuid } from './uuid.ts'

// A header sent twice arrives as one value with a comma in it, which no token has, so it matches nothing.
// Tokens are compared as digests, so that the time of a comparison reveals nothing about them.

/** Accepts the token of the environment, or one whose scope suffices. `inPath`: what the `id` in the path names. */
export const requireAdminToken = (required: Scope, { inPath }: { inPath?: Route['names'] } = {}) =>
  createMiddleware<EdgeEnv>(async (c, next) => {
    await authenticateAdmin(c, required, inPath === 'instance' ? c.req.param('id') : undefined)
    validateQuery(c)
    await next()
  })

/** `instanceId`: the instance that the request is about, read together with the token; `as`: the one that it acts for. Returns the digest of the token. */
export async function authenticateAdmin(
  c: Context<EdgeEnv>,
  required: Scope,
  instanceId: string | undefined,
  as?: string,
): Promise<string> {
  const token = c.req.header('admintoken')
  if (!token) throw createUnauthorizedFault(c.req.raw, 'admintoken', token)
  const store = openStore(c.env)
  const tokenHash = await c.env.runtime.cryptography.digest(token)
  const isCounted = isOfKnownAdmin(c)
  if (!isCounted) rejectExhausted(c, tokenHash)
  const isRoot = await isRootToken(c.env, tokenHash)
  const admin = isRoot ? root : await findAdminToken(c, store, token, tokenHash, instanceId)
  if (!admin) throw createUnauthorizedFault(c.req.raw, 'admintoken', token)
  confirmCaller(c, tokenHash)
  if (!isCounted) countRequest(c, admin, tokenHash)
  c.set('store', store)
  c.set('actor', as === undefined ? admin : { ...admin, as })
  if (!includesScope(admin.scope, required))
    throw new Fault('scope_insufficient', {
      message: `This needs an admin token of scope ${required}; the scope of this one is ${admin.scope}.`,
      details: { scope: admin.scope, wanted: required },
    })
  return tokenHash
}

/** Whether the caller may see what needs this scope. The token of an instance has no scope: it sees all of its own instance. */
export const hasScope = ({ scope }: Actor, required: Scope): boolean =>
  scope === undefined || includesScope(scope, required)

/** Whether the caller may see codes by which a device is linked. */
export const mayLink = (actor: Actor): boolean =>
  actor.grant ? actor.grant.scope === 'full' : hasScope(actor, 'operate')

const root: Actor & { scope: Scope } = { kind: 'root', id: '', name: '', scope: 'admin' }

/** A created token that is still valid. `instanceId`: an instance that is read in the same call, for the steps that follow. */
async function findAdminToken(
  c: Context<EdgeEnv>,
  store: Store,
  sent: string,
  tokenHash: string,
  instanceId = '',
) {
  if (!ADMIN_FORM.test(sent)) return undefined
  // Read in the same turn as the token, so both go in one call to the database.
  const named = isUuid(instanceId) ? findInstanceById(store, instanceId.toLowerCase()) : undefined
  // The step that awaits it later gets its error.
  named?.catch(() => undefined)
  const token = await findLiveAdminToken(store, tokenHash)
  if (named !== undefined) c.set('prefetched', { named })
  return token && { kind: 'token' as const, ...token }
}

export type Prefetch = (store: Store, tokenHash: string) => Prefetched

/** What a route says of scoped tokens. */
export type RouteAccess = Pick<Route, 'tokenScope' | 'chats'>

/**
 * Does nothing if the caller is known already. `access`: what a scoped token needs; none is accepted without it. `prefetch`: what the
 * route will read anyway, in the same call to the database.
 */
export const requireInstanceToken = (access: RouteAccess, prefetch: Prefetch = () => ({})) =>
  createMiddleware<EdgeEnv>(async (c, next) => {
    if (c.get('instance')) return next()
    if (adoptCaller(c)) {
      requireGranted(c.var.actor.grant, access)
      validateQuery(c)
      return next()
    }
    const token = c.req.header('token')
    if (!token) throw createUnauthorizedFault(c.req.raw, 'token', token)
    if (isScopedToken(token)) {
      await authenticateScoped(c, token, access)
      return next()
    }
    const store = openStore(c.env)
    const tokenHash = await c.env.runtime.cryptography.digest(token)
    rejectExhausted(c, tokenHash)
    const key = c.req.header('idempotency-key')
    const prefetched = {
      ...prefetch(store, tokenHash),
      ...(key !== undefined && { key: new KeyStore(c.env, store).findByToken({ tokenHash, key }) }),
    }
    // The code that awaits it later gets its error.
    for (const reading of Object.values(prefetched)) reading?.catch(() => undefined)
    const instance = await (prefetched.caller ?? findInstanceByToken(store, tokenHash))
    if (!instance) throw createUnauthorizedFault(c.req.raw, 'token', token)
    rememberCaller(tokenHash, instance.id)
    countRequest(c, createInstanceActor(instance.id), tokenHash)
    validateQuery(c)
    c.set('store', store)
    c.set('prefetched', prefetched)
    setCaller(c, instance, tokenHash)
    await next()
  })

const SCOPED_FORM = /^mgs_[\w-]{43}$/

/** A scoped token, whose scope and chats the route must allow. */
async function authenticateScoped(c: Context<EdgeEnv>, token: string, access: RouteAccess): Promise<void> {
  if (!SCOPED_FORM.test(token)) throw createUnauthorizedFault(c.req.raw, 'token', token)
  const store = openStore(c.env)
  const tokenHash = await c.env.runtime.cryptography.digest(token)
  rejectExhausted(c, tokenHash)
  const found = await findLiveScopedToken(store, tokenHash)
  if (!found) throw createUnauthorizedFault(c.req.raw, 'token', token)
  const { grant, instance } = found
  countRequest(c, createInstanceActor(instance.id), tokenHash)
  c.set('store', store)
  setCaller(c, instance, tokenHash, grant)
  recordTokenUse(c, grant.id)
  requireGranted(grant, access)
  validateQuery(c)
}

/** Of a request that a dialect makes too: its own routes let every scoped token in, and each of their calls asks for what it needs. */
function requireGranted(grant: Actor['grant'], access: RouteAccess): void {
  const refusal = grant && explainRefusal(grant, access)
  if (refusal) throw new Fault('token_scope', refusal)
}

/** Why the route is closed to the token; undefined if it is open. */
export function explainRefusal(
  { scope, chats }: Pick<Grant, 'scope' | 'chats'>,
  { tokenScope = 'own', chats: use = 'all' }: RouteAccess,
): string | undefined {
  if (tokenScope === 'own') return 'This needs the own token of the instance.'
  if (!includesTokenScope(scope, tokenScope))
    return `This needs a token of scope ${tokenScope}; the scope of this one is ${scope}.`
  if (chats === null) return undefined
  if (use === 'all') return 'This needs a token for all chats; this one is for some.'
  if (use === 'groups' && !chats.includes('groups'))
    return 'This needs a token for all groups; this one is for some chats.'
  return undefined
}

/**
 * The instance's token if it is sent; else an admin token whose scope suffices. `naming`: the fields of the query of which an admin
 * gives one. Without it the route is that of an instance, and its token is missing.
 */
export function requireInstanceOrAdminToken(
  access: RouteAccess,
  prefetch: Prefetch | undefined,
  { scope, naming = [] }: { scope: Scope; naming?: readonly string[] | undefined },
) {
  const [asInstance, asAdmin] = [requireInstanceToken(access, prefetch), requireAdminToken(scope)]
  return createMiddleware<EdgeEnv>((c, next) => {
    const isAdmin = c.req.header('token') === undefined && c.req.header('admintoken') !== undefined
    const isNamed = naming.length === 0 || naming.some((field) => c.req.query(field))
    return isAdmin && isNamed ? asAdmin(c, next) : asInstance(c, next)
  })
}

export function setCaller(
  c: Context<EdgeEnv>,
  instance: InstanceRow,
  tokenHash: string,
  grant?: Grant,
): void {
  confirmCaller(c, instance.id)
  c.set('instance', instance)
  c.set('actor', { ...createInstanceActor(instance.id), ...(grant && { grant }) })
  c.set('tokenHash', tokenHash)
}

const confirmCaller = (c: Context<EdgeEnv>, caller: string) =>
  (c.executionCtx as RequestContext).confirmCaller?.(caller)

export const createInstanceActor = (instanceId: string): Actor => ({
  kind: 'instance',
  id: instanceId,
  name: '',
})

/** After `requireAdminToken`: sets the instance that the path names, as `requireInstanceToken` does for its own token. */
export const loadNamedInstance = createMiddleware<EdgeEnv>(async (c, next) => {
  await loadInstance(c, 'id', c.req.param('id') ?? '')
  await next()
})

/** `field`: what the caller named it in. */
export async function loadInstance(c: Context<EdgeEnv>, field: string, id: string): Promise<void> {
  if (!isUuid(id)) throw new Fault('invalid_id', `${field} must be a UUID.`)
  const instance = await (c.get('prefetched')?.named ?? findInstanceById(c.get('store'), id.toLowerCase()))
  if (!instance) throw new Fault('instance_not_found')
  c.set('instance', instance)
}

/** Accepts a session host by its Authorization header. */
export const requireHostToken = createMiddleware<EdgeEnv>(async (c, next) => {
  const header = c.req.header('authorization')
  const token = /^Bearer (\S+)$/.exec(header ?? '')?.[1]
  const tokenHash = token ? await c.env.runtime.cryptography.digest(token) : ''
  const id = token && (await findHostIdByToken(openStore(c.env), tokenHash))
  if (!id) throw createUnauthorizedFault(c.req.raw, 'Authorization: Bearer', header)
  confirmCaller(c, id)
  c.set('host', { id, tokenHash })
  await next()
})
