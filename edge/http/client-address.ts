// The address that a request comes from, as far as it can be trusted.

import type { Context } from 'hono'
import type { EdgeEnv } from '../request/request-context.ts'
import type { RequestContext } from '../runtime/runtime.ts'

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

/** What one caller can easily change its address within: of IPv6 the network of 64 bits. */
export function readClientNetwork(c: Context<EdgeEnv>): string {
  const address = readClientAddress(c)
  if (!address.includes(':')) return address
  const [before = '', after] = address.split('::')
  const head = before ? before.split(':') : []
  const missing = after === undefined ? 0 : 8 - head.length - (after ? after.split(':').length : 0)
  const groups = [
    ...head,
    ...Array<string>(Math.max(0, missing)).fill('0'),
    ...(after ? after.split(':') : []),
  ]
  return `${groups.slice(0, 4).join(':')}::/64`
}
