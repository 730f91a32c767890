// The addresses by which clients of `/mcp` find who authorizes them: always this gateway itself.

import type { TokenScope } from '@msgnet/shared/contract/scoped-token.ts'
import { isLoopback } from '@msgnet/shared/loopback.ts'
import type { Context } from 'hono'
import type { EdgeEnv } from '../request/request-context.ts'
import { readOfferedTools, readPublicOrigin } from '../settings/env.ts'

export const TOOLS_PATH = '/mcp'
/** RFC 9728 puts the path of the resource behind it. */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource'

/**
 * Undefined if this gateway authorizes nothing: it offers no tools, or does not know its address. A caller chooses the Host of a request, so
 * only the operator's PUBLIC_URL counts, over https, and beside it names that always mean this machine.
 */
export function findIssuer(c: Context<EdgeEnv>): string | undefined {
  if (readOfferedTools(c.env) === 'none') return undefined
  const origin = readPublicOrigin(c.env) ?? new URL(c.req.url).origin
  const { protocol, host } = new URL(origin)
  const isSafe = protocol === 'https:' && readPublicOrigin(c.env) !== undefined
  return isSafe || isLoopback(host) ? origin : undefined
}

export const formatResource = (issuer: string): string => issuer + TOOLS_PATH

/** What a client needs for the tools that are offered. */
export const listUsualScopes = (c: Context<EdgeEnv>): TokenScope[] =>
  readOfferedTools(c.env) === 'all' ? ['read', 'send'] : ['read']
