// The one place where an error becomes an HTTP response.

import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Context } from 'hono'
import { log } from '../observability/edge-log.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { isOrphaned, isStorageError } from '../store/database/storage-error.ts'

export function createFaultResponse(error: unknown, c: Context<EdgeEnv>): Response {
  const fault = toFault(error)
  if (!(error instanceof Fault)) {
    const { requestId, trace } = c.var
    log(c.env, 'error', 'failed to serve request', {
      requestId,
      trace: trace?.id,
      fault: fault.fault,
      error,
    })
  }
  const headers = fault.retryAfter === undefined ? undefined : { 'retry-after': String(fault.retryAfter) }
  return c.json(fault.body, fault.status, headers)
}

/** Errors that are no Fault become one here: those of the database `storage_unavailable`, any other `internal`. */
export function toFault(error: unknown): Fault {
  if (error instanceof Fault) return error
  // The instance was deleted during the request, so its token is not valid any more.
  if (isOrphaned(error)) return new Fault('unauthorized')
  return new Fault(isStorageError(error) ? 'storage_unavailable' : 'internal')
}
