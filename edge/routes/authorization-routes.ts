// What clients of `/mcp` ask by themselves to be authorized: who authorizes (RFC 9728, RFC 8414), to be registered (RFC 7591), and a token
// for a code (OAuth 2.1). None needs a credential.

import { tokenScopes } from '@msgnet/shared/contract/scoped-token.ts'
import { MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { createToken, encodeBase64Url, hashSha256 } from '@msgnet/shared/random-tokens.ts'
import type { Context, Hono, MiddlewareHandler } from 'hono'
import { AuthorizationError } from '../authorization/authorization-error.ts'
import { findRepeated, isOwnResource } from '../authorization/authorization-request.ts'
import {
  findIssuer,
  formatResource,
  listUsualScopes,
  RESOURCE_METADATA_PATH,
  TOOLS_PATH,
} from '../authorization/public-address.ts'
import { registerClient } from '../authorization/registered-clients.ts'
import { notifyTokenChanged } from '../delivery/notify-couriers.ts'
import { readClientNetwork } from '../http/client-address.ts'
import { openBody } from '../http/open-body.ts'
import { findEncodingFault } from '../http/parse-body.ts'
import { readBounded } from '../http/read-body-bytes.ts'
import { auditRoute, buildAuditEntry } from '../http/record-audit.ts'
import { AddressRates } from '../limits/address-rates.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { encodeUtf8 } from '../runtime/bytes.ts'
import { type CodeRow, exchangeCode, findCode, revokeIssued } from '../store/authorization-code-queries.ts'
import { openStore } from '../store/database/open-store.ts'
import { AUTHORIZE_PATH, requireIssuer } from './authorization-page-routes.ts'
import { NO_STORE } from './link-page-routes.ts'

const TOKEN_PATH = '/oauth/token'
const REGISTER_PATH = '/oauth/register'
const MAX_BODY_BYTES = 16 * 1024
const VERIFIER = /^[\w.~-]{43,128}$/

const CODE = /^mgc_[\w-]{43}$/

/** More than the people behind one proxy connect clients. */
const registrations = new AddressRates({ burst: 60, refill: 60, everyMs: MINUTE })
/** A code is exchanged once, and a client may try again. A code cannot be guessed: what is bounded are reads of the database. */
const exchanges = new AddressRates({ burst: 120, refill: 120, everyMs: MINUTE })

export function serveAuthorization(app: Hono<EdgeEnv>): void {
  for (const path of [RESOURCE_METADATA_PATH, RESOURCE_METADATA_PATH + TOOLS_PATH])
    app.get(path, requireIssuer, (c) => c.json(describeResource(c), 200, NO_STORE))
  app.get('/.well-known/oauth-authorization-server', requireIssuer, (c) =>
    c.json(describeServer(c), 200, NO_STORE),
  )
  app.post(REGISTER_PATH, requireIssuer, (c) => respondAsOAuth(c, register))
  app.post(TOKEN_PATH, requireIssuer, auditRoute('scopedToken.create'), (c) => respondAsOAuth(c, issueToken))
}

/** Before the steps of `/mcp`: a client learns from a 401 whom to ask (RFC 9728, 5.1). */
export const challengeClient: MiddlewareHandler<EdgeEnv> = async (c, next) => {
  const wasSent = ['authorization', 'token', 'admintoken'].some((name) => c.req.header(name) !== undefined)
  await next()
  const issuer = c.res.status === 401 ? findIssuer(c) : undefined
  if (issuer === undefined) return
  const values = {
    ...(wasSent && { error: 'invalid_token' }),
    resource_metadata: issuer + RESOURCE_METADATA_PATH + TOOLS_PATH,
    scope: listUsualScopes(c).join(' '),
  }
  const words = Object.entries(values).map(([name, value]) => `${name}="${value}"`)
  c.res.headers.set('www-authenticate', `Bearer ${words.join(', ')}`)
}

const describeResource = (c: Context<EdgeEnv>) => {
  const issuer = findIssuer(c) ?? ''
  return {
    resource: formatResource(issuer),
    authorization_servers: [issuer],
    scopes_supported: listUsualScopes(c),
    bearer_methods_supported: ['header'],
    resource_documentation: `${issuer}/docs`,
  }
}

const describeServer = (c: Context<EdgeEnv>) => {
  const issuer = findIssuer(c) ?? ''
  return {
    issuer,
    authorization_endpoint: issuer + AUTHORIZE_PATH,
    token_endpoint: issuer + TOKEN_PATH,
    registration_endpoint: issuer + REGISTER_PATH,
    scopes_supported: tokenScopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    // Without refresh tokens: a token ends at the time that a person has chosen.
    grant_types_supported: ['authorization_code'],
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  }
}

async function respondAsOAuth(
  c: Context<EdgeEnv>,
  handle: (c: Context<EdgeEnv>, issuer: string) => Promise<Response>,
): Promise<Response> {
  try {
    return await handle(c, findIssuer(c) ?? '')
  } catch (error) {
    if (!(error instanceof AuthorizationError)) throw error
    return c.json(error.body, error.status, { ...NO_STORE, pragma: 'no-cache' })
  }
}

async function readText(c: Context<EdgeEnv>, type: RegExp, named: string): Promise<string> {
  if (!type.test(c.req.header('content-type') ?? ''))
    throw new AuthorizationError('invalid_request', `The body must be ${named}.`)
  const encoded = findEncodingFault(c.req.header('content-encoding'))
  if (encoded) throw encoded
  const bytes = await readBounded(openBody(c), {
    maxBytes: MAX_BODY_BYTES,
    length: Number(c.req.header('content-length') ?? 0),
    before: new Uint8Array(),
    reserveBytes: () => undefined,
  })
  c.set('bodyIsRead', true)
  return new TextDecoder().decode(bytes)
}

async function register(c: Context<EdgeEnv>, issuer: string): Promise<Response> {
  registrations.take(readClientNetwork(c))
  const text = await readText(c, /^application\/json\s*(;|$)/i, 'application/json')
  const { id, name, redirectUris } = await registerClient(c.env, issuer, parseJson(text))
  const registered = {
    client_id: id,
    client_id_issued_at: Math.floor(Date.now() / SECOND),
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
  return c.json(registered, 201, NO_STORE)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new AuthorizationError('invalid_client_metadata', 'The body must be valid JSON.')
  }
}

async function issueToken(c: Context<EdgeEnv>, issuer: string): Promise<Response> {
  exchanges.take(readClientNetwork(c))
  if (c.req.header('authorization') !== undefined)
    throw new AuthorizationError('invalid_client', 'A client has no secret here: it names its client_id.')
  const form = await readText(
    c,
    /^application\/x-www-form-urlencoded\s*(;|$)/i,
    'application/x-www-form-urlencoded',
  )
  const fields = readFields(new URLSearchParams(form), issuer)
  const store = openStore(c.env)
  const row = CODE.test(fields.code) ? await findCode(store, await hashSha256(fields.code)) : undefined
  if (!row) throw new AuthorizationError('invalid_grant', 'The code is not known.')
  c.set('store', store)
  const refusal = await explainRefusal(row, fields)
  if (refusal) throw new AuthorizationError('invalid_grant', refusal)
  const issued = row.tokenId === '' ? await exchange(c, row) : undefined
  if (issued) return issued
  await revoke(c, row)
  throw new AuthorizationError('invalid_grant', 'The code was used before: what it was used for has ended.')
}

/** Throws what is wrong with the request itself. Fields that are not known are ignored. */
function readFields(form: URLSearchParams, issuer: string) {
  const repeated = findRepeated(form)
  if (repeated !== undefined)
    throw new AuthorizationError('invalid_request', `${repeated} must be given once.`)
  const read = (name: string): string => {
    const value = form.get(name)
    if (value) return value
    throw new AuthorizationError('invalid_request', `${name} is missing.`)
  }
  if (read('grant_type') !== 'authorization_code')
    throw new AuthorizationError('unsupported_grant_type', 'grant_type must be authorization_code.')
  if (!form.getAll('resource').every((one) => isOwnResource(one, issuer)))
    throw new AuthorizationError('invalid_target', `resource must be ${formatResource(issuer)}.`)
  return {
    code: read('code'),
    clientId: read('client_id'),
    verifier: read('code_verifier'),
    /** OAuth 2.1 leaves it out here; who sends it means it. */
    redirectUri: form.get('redirect_uri') ?? undefined,
    resource: formatResource(issuer),
  }
}

/** Whoever is refused here has not shown that it is the client, so it ends nothing. */
async function explainRefusal(
  row: CodeRow,
  { clientId, verifier, redirectUri, resource }: ReturnType<typeof readFields>,
): Promise<string | undefined> {
  if (row.clientHash !== (await hashSha256(clientId))) return 'The code was given to another client.'
  if (redirectUri !== undefined && redirectUri !== row.redirectUri)
    return 'redirect_uri is not that of the authorization.'
  if (row.resource !== resource) return 'The code is for another resource.'
  if (!VERIFIER.test(verifier) || (await computeChallenge(verifier)) !== row.challenge)
    return 'code_verifier does not fit the code.'
  if (row.tokenId === '' && row.expiresAt <= Date.now()) return 'The code has expired.'
  return undefined
}

const computeChallenge = async (verifier: string): Promise<string> =>
  encodeBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', encodeUtf8(verifier))))

/** Undefined if another request used the code meanwhile. */
async function exchange(c: Context<EdgeEnv>, row: CodeRow): Promise<Response | undefined> {
  const token = createToken('scoped')
  const createdAt = Date.now()
  const issued = {
    id: crypto.randomUUID(),
    tokenHash: await hashSha256(token),
    createdAt,
    expiresAt: createdAt + row.lifetime * SECOND,
  }
  setCodeHolder(c, row, issued.id)
  const [used, added] = await c.var.store.write([
    ...exchangeCode(c.var.store, row.codeHash, issued),
    ...buildAuditEntry(c, { target: row.instanceId, ifChanged: true }),
  ])
  if (used?.rowsAffected !== 1) return undefined
  if (added?.rowsAffected !== 1)
    throw new AuthorizationError('invalid_grant', new Fault('too_many_tokens').message)
  const response = {
    access_token: token,
    token_type: 'Bearer',
    expires_in: row.lifetime,
    scope: tokenScopes.slice(0, tokenScopes.indexOf(row.scope) + 1).join(' '),
  }
  return c.json(response, 200, { ...NO_STORE, pragma: 'no-cache' })
}

/** Someone has the code who should not: what came of it ends (OAuth 2.1, 4.1.3). */
async function revoke(c: Context<EdgeEnv>, row: CodeRow): Promise<void> {
  setCodeHolder(c, row, row.tokenId)
  c.set('audited', { action: 'scopedToken.delete', written: false })
  const [ended] = await c.var.store.write([
    revokeIssued(c.var.store, row.codeHash),
    ...buildAuditEntry(c, { target: row.instanceId, ifChanged: true }),
  ])
  if (ended?.rowsAffected === 1) await notifyTokenChanged(c.env, row.instanceId)
}

/** Who has a code acts as the token that it is for. */
function setCodeHolder(
  c: Context<EdgeEnv>,
  { instanceId, clientName, scope, chats }: CodeRow,
  id: string,
): void {
  c.set('actor', {
    kind: 'instance',
    id: instanceId,
    name: '',
    grant: { id, name: clientName, scope, chats },
  })
}
