// Accepts the secret of a one-time link, which comes in a header, as it does in no address.

import type { LinkPurpose } from '@msgnet/shared/contract/link-requests.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { createMiddleware } from 'hono/factory'
import type { EdgeEnv } from '../request/request-context.ts'
import { openStore } from '../store/database/open-store.ts'
import { findLinkByDigest } from '../store/link-queries.ts'
import { LinkRates } from './link-rates.ts'
import { countRequest } from './token-rates.ts'

export const linkRates = new LinkRates()

/** Also by its prefix: an edge of the version before, which knows no purposes, takes none for a link to a device's page. */
const SECRETS: Record<LinkPurpose, RegExp> = {
  device: /^Bearer (mgl_[\w-]{43})$/,
  webhooks: /^Bearer (mgp_[\w-]{43})$/,
}

/** Of a link for this purpose that has not expired. Its instance is that of the request. */
export const requireLink = (purpose: LinkPurpose) =>
  createMiddleware<EdgeEnv>(async (c, next) => {
    const secret = SECRETS[purpose].exec(c.req.header('authorization') ?? '')?.[1]
    if (!secret) throw createEndedFault()
    const secretHash = await c.env.runtime.cryptography.digest(secret)
    linkRates.rejectGuesses(c, secretHash)
    const store = openStore(c.env)
    const found = await findLinkByDigest(store, secretHash, purpose)
    if (!found) {
      linkRates.countGuess(c)
      throw createEndedFault()
    }
    linkRates.rememberSecret(secretHash)
    const actor = { kind: 'link' as const, id: found.link.id, name: '' }
    countRequest(c, actor, secretHash)
    c.set('store', store)
    c.set('actor', actor)
    c.set('link', found.link)
    c.set('instance', found.instance)
    await next()
  })

const createEndedFault = () =>
  new Fault('unauthorized', 'This link is not known: it has expired, or it was withdrawn.')
