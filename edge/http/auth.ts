// Authentication of the admin, of instances and of session hosts. It runs before the body is read.

import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { type Scope, suffices } from '../../shared/api/scope.ts'
import { Fault } from '../../shared/faults.ts'
import type { Actor, EdgeEnv, Prefetched } from '../context.ts'
import type { Cryptography } from '../runtime.ts'
import { liveAdminToken } from '../store/admin-tokens.ts'
import { openStore, type Store } from '../store/database/database.ts'
import { hostIdByToken } from '../store/hosts.ts'
import { findKeyOfCaller } from '../store/idempotency-keys.ts'
import { type InstanceRow, instanceById, instanceByToken } from '../store/instances.ts'
import { rememberCaller } from './known-callers.ts'
import { judgeQuery } from './query.ts'
import { countRequest, refuseResting } from './token-rates.ts'
import { unauthorized } from './unauthorized.ts'
import { isUuid } from './uuid.ts'

// A header sent twice arrives as one value with a comma in it, which no token has, so it matches nothing.
// Tokens are compared as digests, so that the time of a comparison says nothing about them.

let known = { token: '', digest: '' }

/** The digest of `ADMIN_TOKEN`, which does not change: it is computed once. */
async function digestOfRoot(token: string, { digest }: Cryptography): Promise<string> {
  if (known.token !== token) known = { token, digest: await digest(token) }
  return known.digest
}

/** Accepts the token of the environment, or one whose scope suffices. */
export const adminToken = (wanted: Scope, namesInstance = false) =>
  createMiddleware<EdgeEnv>(async (c, next) => {
    const given = c.req.header('admintoken')
    if (!given) throw unauthorized('admintoken', given)
    const store = openStore(c.env)
    const tokenHash = await c.env.runtime.cryptography.digest(given)
    refuseResting(c, tokenHash)
    const expected = c.env.ADMIN_TOKEN
    const isRoot = expected && tokenHash === (await digestOfRoot(expected, c.env.runtime.cryptography))
    const held = isRoot ? root : await scopedToken(c, store, given, tokenHash, namesInstance)
    if (!held) throw unauthorized('admintoken', given)
    countRequest(c, held, tokenHash)
    c.set('store', store)
    c.set('actor', held)
    if (!suffices(held.scope, wanted))
      throw new Fault('scope_insufficient', {
        message: `This needs an admin token of scope ${wanted}; the scope of this one is ${held.scope}.`,
        details: { scope: held.scope, wanted },
      })
    judgeQuery(c)
    await next()
  })

/** Whether the caller may see what needs this scope. The token of an instance has no scope: it sees all of its own instance. */
export const holdsScope = ({ scope }: Actor, wanted: Scope): boolean =>
  scope === undefined || suffices(scope, wanted)

const root: Actor & { scope: Scope } = { kind: 'root', id: '', name: '', scope: 'admin' }

const FORM = /^mga_[\w-]{43}$/

async function scopedToken(
  c: Context<EdgeEnv>,
  store: Store,
  given: string,
  tokenHash: string,
  namesInstance: boolean,
) {
  if (!FORM.test(given)) return undefined
  const id = c.req.param('id') ?? ''
  // Read in the same turn as the token, so both go in one call to the database.
  const named = namesInstance && isUuid(id) ? instanceById(store, id.toLowerCase()) : undefined
  named?.catch(() => undefined)
  const token = await liveAdminToken(store, tokenHash)
  if (named) c.set('prefetched', { named })
  return token && { kind: 'token' as const, ...token }
}

export type Prefetch = (store: Store, tokenHash: string) => Prefetched

/** Does nothing if the caller is known already. `prefetch`: what the route will read anyway, in the same call to the database. */
export const instanceToken = (prefetch: Prefetch = () => ({})) =>
  createMiddleware<EdgeEnv>(async (c, next) => {
    if (c.get('instance')) return next()
    const given = c.req.header('token')
    if (!given) throw unauthorized('token', given)
    const store = openStore(c.env)
    const tokenHash = await c.env.runtime.cryptography.digest(given)
    refuseResting(c, tokenHash)
    const key = c.req.header('idempotency-key')
    const prefetched = {
      ...prefetch(store, tokenHash),
      ...(key !== undefined && { key: findKeyOfCaller(store, { tokenHash, key }) }),
    }
    // The code that awaits it later gets its error.
    for (const reading of Object.values(prefetched)) reading?.catch(() => undefined)
    const instance = await (prefetched.caller ?? instanceByToken(store, tokenHash))
    if (!instance) throw unauthorized('token', given)
    rememberCaller(tokenHash, instance.id)
    countRequest(c, makeActor(instance.id), tokenHash)
    judgeQuery(c)
    c.set('store', store)
    c.set('prefetched', prefetched)
    setCaller(c, instance, tokenHash)
    await next()
  })

/** The instance's token if it is given; else an admin token whose scope suffices. */
export function instanceOrAdminToken(prefetch: Prefetch | undefined, wanted: Scope) {
  const [asInstance, asAdmin] = [instanceToken(prefetch), adminToken(wanted)]
  return createMiddleware<EdgeEnv>((c, next) => {
    const isAdmin = c.req.header('token') === undefined && c.req.header('admintoken') !== undefined
    return isAdmin ? asAdmin(c, next) : asInstance(c, next)
  })
}

export function setCaller(c: Context<EdgeEnv>, instance: InstanceRow, tokenHash: string): void {
  c.set('instance', instance)
  c.set('actor', makeActor(instance.id))
  c.set('tokenHash', tokenHash)
}

export const makeActor = (instanceId: string): Actor => ({ kind: 'instance', id: instanceId, name: '' })

/** After `adminToken`: sets the instance that the path names, as `instanceToken` does for its own token. */
export const namedInstance = createMiddleware<EdgeEnv>(async (c, next) => {
  const id = c.req.param('id') ?? ''
  if (!isUuid(id)) throw new Fault('invalid_id', 'id must be a UUID.')
  const instance = await (c.get('prefetched')?.named ?? instanceById(c.get('store'), id.toLowerCase()))
  if (!instance) throw new Fault('instance_not_found')
  c.set('instance', instance)
  await next()
})

/** Accepts a session host by its Authorization header. */
export const hostToken = createMiddleware<EdgeEnv>(async (c, next) => {
  const given = c.req.header('authorization')
  const token = /^Bearer (\S+)$/.exec(given ?? '')?.[1]
  const tokenHash = token ? await c.env.runtime.cryptography.digest(token) : ''
  const id = token && (await hostIdByToken(openStore(c.env), tokenHash))
  if (!id) throw unauthorized('Authorization: Bearer', given)
  c.set('host', { id, tokenHash })
  await next()
})
