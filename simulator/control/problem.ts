// Error responses of the control interface.
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { Refusal } from '../network/refusal-codes.ts'
import { PairingRefused } from '../pairing/pairing-refused.ts'

/** `field` names the part of the body that is at fault. */
export function createProblem(status: ContentfulStatusCode, error: string, field?: string): HTTPException {
  return new HTTPException(status, { message: error, cause: field })
}

export function respondWithProblem(error: Error, c: Context) {
  // The network refuses phones with the same codes as clients.
  if (error instanceof Refusal) return c.json({ error: error.message }, error.code as ContentfulStatusCode)
  if (error instanceof PairingRefused) return c.json({ error: error.message }, 409)
  if (!(error instanceof HTTPException)) {
    console.error(error)
    return c.json({ error: 'the simulator failed' }, 500)
  }
  const field = typeof error.cause === 'string' ? { field: error.cause } : {}
  return c.json({ error: error.message, ...field }, error.status)
}
