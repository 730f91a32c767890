// What a client asks for with the query of the page: checked before a person is asked, and again when the person has agreed.

import { type TokenScope, tokenScopes } from '@msgnet/shared/contract/scoped-token.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Context } from 'hono'
import type { EdgeEnv } from '../request/request-context.ts'
import { findDocumentClient, isDocumentUrl } from './client-documents.ts'
import { formatResource } from './public-address.ts'
import { addParameters, isRegistered, parseRedirectUri } from './redirect-uris.ts'
import { type Client, openRegisteredClient } from './registered-clients.ts'

export interface AuthorizationRequest {
  clientId: string
  client: Client
  redirectUri: string
  challenge: string
  resource: string
  /** At most what the client asks for. */
  scopes: TokenScope[]
  /** The address of the client with an answer for it. */
  formatReturn(values: Record<string, string>): string
}

/** A SHA-256 in base64url. */
const CHALLENGE = /^[\w-]{43}$/
/** The client's own; it comes back with the answer. */
const MAX_STATE_LENGTH = 2000

/**
 * Throws `invalid_query`. The browser is never sent to an address that is not the client's; a fault that the client may know of has
 * its address in `details.returnTo`, where a person may go.
 */
export async function readAuthorizationRequest(
  c: Context<EdgeEnv>,
  issuer: string,
  text: string,
): Promise<AuthorizationRequest> {
  const query = new URLSearchParams(text)
  const clientId = readOnce(query, 'client_id') ?? ''
  const redirectUri = readOnce(query, 'redirect_uri') ?? ''
  const client = await findClient(c, issuer, clientId)
  if (!parseRedirectUri(redirectUri) || !isRegistered(redirectUri, client.redirectUris))
    throw new Fault('invalid_query', 'redirect_uri is none that the client has named.')
  const state = query.get('state') ?? undefined
  const formatReturn = (values: Record<string, string>) =>
    addParameters(redirectUri, { ...values, state, iss: issuer })
  const problem = findProblem(query, issuer)
  if (problem) {
    const returnTo = formatReturn({ error: problem.error, error_description: problem.message })
    throw new Fault('invalid_query', { message: problem.message, details: { returnTo } })
  }
  return {
    clientId,
    client,
    redirectUri,
    challenge: query.get('code_challenge') ?? '',
    resource: formatResource(issuer),
    scopes: listScopes(query.get('scope') ?? ''),
    formatReturn,
  }
}

function readOnce(query: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = query.getAll(name)
  if (more.length > 0) throw new Fault('invalid_query', `${name} must be given once.`)
  return value
}

async function findClient(c: Context<EdgeEnv>, issuer: string, id: string): Promise<Client> {
  if (isDocumentUrl(id)) return findDocumentClient(c.env, id, c.var.actor.id)
  const client = await openRegisteredClient(c.env, issuer, id)
  if (client) return client
  throw new Fault('invalid_query', 'client_id is not known here. The client must register again.')
}

/** A field that is given twice, of those that may be there once: only `resource` names several (RFC 8707, 2). */
export function findRepeated(fields: URLSearchParams): string | undefined {
  const seen = new Set<string>()
  for (const name of fields.keys()) {
    if (name !== 'resource' && seen.has(name)) return name
    seen.add(name)
  }
  return undefined
}

/** By the codes of RFC 6749, 4.1.2.1 and RFC 8707, 2. */
function findProblem(query: URLSearchParams, issuer: string): { error: string; message: string } | undefined {
  const repeated = findRepeated(query)
  if (repeated !== undefined) return { error: 'invalid_request', message: `${repeated} must be given once.` }
  if (query.get('response_type') !== 'code')
    return { error: 'unsupported_response_type', message: 'response_type must be code.' }
  if ((query.get('response_mode') ?? 'query') !== 'query')
    return { error: 'invalid_request', message: 'response_mode must be query.' }
  if ((query.get('state') ?? '').length > MAX_STATE_LENGTH)
    return { error: 'invalid_request', message: `state must have at most ${MAX_STATE_LENGTH} characters.` }
  if (query.get('code_challenge_method') !== 'S256' || !CHALLENGE.test(query.get('code_challenge') ?? ''))
    return { error: 'invalid_request', message: 'code_challenge must be there, by the method S256.' }
  if (!query.getAll('resource').every((one) => isOwnResource(one, issuer)))
    return { error: 'invalid_target', message: `resource must be ${formatResource(issuer)}.` }
  return undefined
}

/** Scheme and host in any case. A client without the parameter means the only resource that there is. */
export function isOwnResource(text: string, issuer: string): boolean {
  const url = URL.parse(text)
  return url !== null && !text.includes('#') && url.href === formatResource(issuer)
}

/** Each includes those before it. What is not known here is passed over, and so is a request for nothing. */
function listScopes(wanted: string): TokenScope[] {
  const highest = tokenScopes.findLastIndex((scope) => wanted.split(' ').includes(scope))
  return highest < 0 ? [...tokenScopes] : tokenScopes.slice(0, highest + 1)
}
