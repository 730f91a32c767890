// For the usual send, reads the caller and claims the key in one call to the database. Any other request goes step by step.

import type { Route } from '@msgnet/shared/api/route-declaration.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { createMessageId } from '@msgnet/shared/random-tokens.ts'
import { actionInputs } from '@msgnet/shared/wire/session-actions.ts'
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { IdempotencyClaim } from '../idempotency/idempotency-claim.ts'
import { type KeyClaim, KeyStore, releaseKey } from '../idempotency/key-store.ts'
import {
  computeFingerprint,
  isValidKey,
  runWithClaim,
  writeAfterResponse,
} from '../request/idempotency-step.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { openStore } from '../store/database/open-store.ts'
import { createInstanceActor, setCaller } from './auth.ts'
import { findKnownCaller, forgetCaller, forgetCallers } from './known-callers.ts'
import type { ReadBody } from './parse-body.ts'
import { hasRequestLeft } from './token-rates.ts'

/** In bytes. A larger body is read only after the caller is authenticated. */
const MAX_BODY_BYTES = 64 * 1024

/** Whether this is possible for a route: it must need nothing but a session that is logged in. */
export const allowsQuickClaim = ({ action, auth, idempotent, requires = 'login' }: Route): boolean =>
  action !== undefined && auth === 'instance' && idempotent !== undefined && requires === 'login'

/**
 * Rejects nothing itself: if the caller, the key or the session is not as expected, nothing has been written, and the steps that
 * follow reject in their order with what was read.
 */
export function createQuickClaim(
  { action, idempotent = 0 }: Route,
  read: ReadBody,
  validate: (body: unknown) => void = () => undefined,
) {
  const isNamed = action !== undefined && 'messageid' in actionInputs[action].shape
  return createMiddleware<EdgeEnv>(async (c, next) => {
    const caller = await findCachedCaller(c)
    const actor = caller && createInstanceActor(caller.scope)
    if (!caller || !(await canReadBody(c, (context) => read(context, actor), validate))) return next()
    const { key, scope, tokenHash } = caller
    if (!hasRequestLeft(c, createInstanceActor(scope), tokenHash)) return next()
    const fingerprint = await computeFingerprint(c)
    const actId = crypto.randomUUID()
    const claim: KeyClaim = { scope, key, actId, fingerprint, retentionMs: idempotent * SECOND }
    const messageid = isNamed ? createMessageId() : ''
    const store = openStore(c.env)
    c.set('store', store)
    const keys = new KeyStore(c.env, store)
    const { instance, isClaimed } = await keys
      .claimAsSender(claim, { tokenHash, messageid })
      .catch((error) => {
        forgetCallers()
        // A database that does not answer may have stored the key.
        writeAfterResponse(c, [releaseKey(claim)])
        throw error
      })
    if (instance) setCaller(c, instance, tokenHash)
    // A token that has ended must not use up the requests of its instance.
    else forgetCaller(tokenHash)
    if (!isClaimed) return next()
    await runWithClaim(c, new IdempotencyClaim(keys, { state: 'claimed', claim, messageid }), next)
  })
}

/** A caller whose token was valid lately and that sent a key; undefined if anything else must be checked. */
async function findCachedCaller({ env, req }: Context<EdgeEnv>) {
  const key = req.header('idempotency-key')
  const token = req.header('token')
  if (key === undefined || token === undefined || !isValidKey(key) || req.url.includes('?')) return undefined
  // The steps that follow refuse two credentials.
  if (req.header('instance') !== undefined) return undefined
  const tokenHash = await env.runtime.cryptography.digest(token)
  const scope = findKnownCaller(tokenHash)
  return scope === undefined ? undefined : { key, tokenHash, scope }
}

async function canReadBody(
  c: Context<EdgeEnv>,
  read: (c: Context<EdgeEnv>) => Promise<void>,
  validate: (body: unknown) => void,
): Promise<boolean> {
  const length = Number(c.req.header('content-length'))
  if (!(length <= MAX_BODY_BYTES) || c.req.header('expect') !== undefined) return false
  try {
    await read(c)
    validate(c.get('body'))
    return true
  } catch {
    // The steps that follow say what is wrong, after the caller is authenticated.
    return false
  }
}
