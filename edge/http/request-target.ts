// The target of a request as its caller wrote it. Refuses paths that the URL parser would turn into another path: the route that is served is always the one that the caller wrote.

import { Fault } from '@msgnet/shared/fault-table.ts'
import { createMiddleware } from 'hono/factory'
import type { EdgeEnv } from '../request/request-context.ts'
import type { RequestContext } from '../runtime/runtime.ts'

const SEPARATOR = '(?:[/\\\\]|%2f|%5c)'
/** `.` or `..` as a segment before the query, each character as it is or encoded. */
const DOT_SEGMENT = new RegExp(`^[^?#]*?${SEPARATOR}(?:\\.|%2e){1,2}(?=$|[?#]|${SEPARATOR})`, 'i')

const hasDotSegment = (target: string): boolean => DOT_SEGMENT.test(target)

/** As it was written if it cannot be decoded. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/**
 * A proxy before the gateway, which allows or counts requests by their path, does not always resolve such segments. So they name no
 * route, instead of the one that they lead to.
 */
export const rejectDotSegments = createMiddleware<EdgeEnv>((c, next) => {
  if (hasDotSegment((c.executionCtx as RequestContext).target)) throw new Fault('not_found')
  return next()
})
