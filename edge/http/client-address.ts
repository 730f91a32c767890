// The address that a request comes from, as far as it can be trusted.

import type { Context } from 'hono'
import type { EdgeEnv } from '../request-context.ts'
import type { RequestContext } from '../runtime.ts'

const ADDRESS = /^[0-9a-f:.]{2,45}$/i

/**
 * The peer's address as the runtime gives it. A header is trusted only if the operator has named it, and then only its
 * last value, which the nearest proxy has written.
 */
export function readClientAddress(c: Context<EdgeEnv>): string {
  const named = c.env.CLIENT_ADDRESS_HEADER
  const source = named
    ? c.req.header(named)?.split(',').at(-1)?.trim()
    : (c.executionCtx as RequestContext).peerAddress.replace(/:\d+$/, '')
  const address = (source ?? '').replace(/^\[|\]$/g, '')
  return ADDRESS.test(address) ? address : 'unknown'
}
