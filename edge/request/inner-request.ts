// Requests that a dialect makes to routes of the contract, in the name of the caller of its own request, which was authenticated and read.

import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Context } from 'hono'
import type { EdgeEnv } from './request-context.ts'

export interface InnerRequest {
  /** Of the request of the caller. */
  outer: Context<EdgeEnv>
  /** In place of a body to be read; undefined without one. */
  body: unknown
  /** Why its body could not be made, if it could not: then only a response that is stored for its key is its own. */
  failure?: Failure | undefined
}

/** Thrown by the dialect, and not by the route of the contract. */
export class Failure {
  readonly cause: unknown
  /** The request is refused for it. */
  isReason = false

  constructor(cause: unknown) {
    this.cause = cause
  }
}

/** Throws if the body of the request could not be made: its key has no response that is stored. */
export function rejectFailed(c: Context<EdgeEnv>): void {
  const failure = findInner(c)?.failure
  if (!failure) return
  failure.isReason = true
  throw new Fault('invalid_body')
}

// By the request itself, so that no header of a caller can say that it is one.
const innerRequests = new WeakMap<Request, InnerRequest>()

export const markInner = (request: Request, inner: InnerRequest): void =>
  void innerRequests.set(request, inner)

export const findInner = ({ req }: Context<EdgeEnv>): InnerRequest | undefined => innerRequests.get(req.raw)

/** Whether it is made for a request of an admin, which was authenticated and counted. */
export const isOfKnownAdmin = (c: Context<EdgeEnv>): boolean =>
  findInner(c)?.outer.var.actor?.scope !== undefined

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
