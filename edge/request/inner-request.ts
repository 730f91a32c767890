// Requests that a dialect makes to routes of the contract, in the name of the caller of its own request, which was authenticated and read.

import type { Context } from 'hono'
import type { EdgeEnv } from './request-context.ts'

export interface InnerRequest {
  /** Of the request of the caller. */
  outer: Context<EdgeEnv>
  /** In place of a body to be read; undefined without one. */
  body: unknown
}

// By the request itself, so that no header of a caller can say that it is one.
const innerRequests = new WeakMap<Request, InnerRequest>()

export const markInner = (request: Request, inner: InnerRequest): void =>
  void innerRequests.set(request, inner)

export const findInner = ({ req }: Context<EdgeEnv>): InnerRequest | undefined => innerRequests.get(req.raw)

/** Whether the caller of this request is that of another one, which was authenticated and counted. It is then set here too. */
export function adoptCaller(c: Context<EdgeEnv>): boolean {
  const caller = findInner(c)?.outer.var
  if (!caller?.actor) return false
  c.set('store', caller.store)
  c.set('actor', caller.actor)
  c.set('tokenHash', caller.tokenHash)
  if (caller.instance) c.set('instance', caller.instance)
  return true
}
