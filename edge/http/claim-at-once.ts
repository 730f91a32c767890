// For the usual request, reads caller and key and takes the key in one call to the database; any other is checked step by step.

import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { Route } from '../../shared/api/route.ts'
import { SECOND } from '../../shared/clock.ts'
import { makeMessageId } from '../../shared/tokens.ts'
import { actionInputs } from '../../shared/wire/actions.ts'
import type { EdgeEnv } from '../context.ts'
import { openStore } from '../store/database/database.ts'
import { type Claim, freeKey, takeKeyOfSender } from '../store/idempotency-keys.ts'
import { makeActor, setCaller } from './auth.ts'
import type { ReadBody } from './body.ts'
import { fingerprintOf, isKey, runWith, writeAfterAnswer } from './idempotency.ts'
import { IdempotencyClaim } from './idempotency-claim.ts'
import { forgetCaller, forgetCallers, idOfKnownCaller } from './known-callers.ts'
import { hasRequestLeft } from './token-rates.ts'

/** In bytes. A larger body is read only after the caller is known for certain. */
const SMALL = 64 * 1024

/** Whether this is possible for a route: it must need nothing but a session that is logged in. */
export const claimsAtOnce = ({ action, auth, idempotent, requires = 'login' }: Route): boolean =>
  action !== undefined && auth === 'instance' && idempotent !== undefined && requires === 'login'

/**
 * Refuses nothing itself: if the caller, the key or the session is not as expected, nothing has been written, and the steps
 * that follow refuse in their order with what was read.
 */
export function claimAtOnce(
  { action, idempotent = 0 }: Route,
  read: ReadBody,
  judge: (body: unknown) => void = () => undefined,
) {
  const isNamed = action !== undefined && 'messageid' in actionInputs[action].shape
  return createMiddleware<EdgeEnv>(async (c, next) => {
    const caller = await knownCaller(c)
    const actor = caller && makeActor(caller.scope)
    if (!caller || !(await isReadable(c, (asked) => read(asked, actor), judge))) return next()
    const { key, scope, tokenHash } = caller
    if (!hasRequestLeft(c, makeActor(scope), tokenHash)) return next()
    const fingerprint = await fingerprintOf(c)
    const claim: Claim = {
      ...{ scope, key, actId: crypto.randomUUID(), fingerprint },
      keepFor: idempotent * SECOND,
    }
    const messageid = isNamed ? makeMessageId() : ''
    const store = openStore(c.env)
    c.set('store', store)
    const found = await takeKeyOfSender(store, claim, { tokenHash, messageid }).catch((error) => {
      forgetCallers()
      // A database that does not answer may have stored the key.
      writeAfterAnswer(c, [freeKey(claim)])
      throw error
    })
    if (found.instance) setCaller(c, found.instance, tokenHash)
    // Whoever still has a token that has ended must not use up the requests of its instance.
    else forgetCaller(tokenHash)
    if (!found.taken) return next()
    await runWith(c, new IdempotencyClaim(c.env, store, { taken: claim, messageid }), next)
  })
}

/** A caller whose token was valid lately and who sent a key; undefined if anything else must be checked. */
async function knownCaller({ env, req }: Context<EdgeEnv>) {
  const key = req.header('idempotency-key')
  const token = req.header('token')
  if (key === undefined || token === undefined || !isKey(key) || req.url.includes('?')) return undefined
  const tokenHash = await env.runtime.cryptography.digest(token)
  const scope = idOfKnownCaller(tokenHash)
  return scope === undefined ? undefined : { key, tokenHash, scope }
}

async function isReadable(
  c: Context<EdgeEnv>,
  read: (c: Context<EdgeEnv>) => Promise<void>,
  judge: (body: unknown) => void,
): Promise<boolean> {
  const length = Number(c.req.header('content-length'))
  if (!(length <= SMALL) || c.req.header('expect') !== undefined) return false
  try {
    await read(c)
    judge(c.get('body'))
    return true
  } catch {
    // The steps that follow say what is wrong, after the caller is authenticated.
    return false
  }
}
