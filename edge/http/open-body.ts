// The body of a request as it is read: without a stream where the runtime can.

import type { Context } from 'hono'
import type { EdgeEnv } from '../request/request-context.ts'
import type { Body } from '../runtime/body-reader.ts'
import type { RequestContext } from '../runtime/runtime.ts'

/** A Request with one of these methods has no body. */
const BODILESS = new Set(['GET', 'HEAD'])

export const mayHaveBody = (method: string): boolean => !BODILESS.has(method)

export function openBody(c: Context<EdgeEnv>): Body | null {
  const { raw } = c.req
  return (c.executionCtx as RequestContext).openBody?.(raw) ?? raw.body
}
