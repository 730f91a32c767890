// The page on which a person allows a client of `/mcp` to get a scoped token, and its two requests. The person's own token comes in a header,
// which no other site can send, and no cookie stands for it.

import type {
  AuthorizationDetails,
  AuthorizationGranted,
} from '@msgnet/shared/contract/authorization-requests.ts'
import {
  AuthorizationConsent,
  AuthorizationQuestion,
} from '@msgnet/shared/contract/authorization-requests.ts'
import { MINUTE } from '@msgnet/shared/date-time.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { createToken, hashSha256 } from '@msgnet/shared/random-tokens.ts'
import type { Context, Hono, MiddlewareHandler } from 'hono'
import {
  type AuthorizationRequest,
  readAuthorizationRequest,
} from '../authorization/authorization-request.ts'
import { findIssuer } from '../authorization/public-address.ts'
import { isLocalRedirect } from '../authorization/redirect-uris.ts'
import { loadInstance, requireAdminToken, requireInstanceToken } from '../http/auth.ts'
import { readPage, servePage } from '../http/built-pages.ts'
import { FixedPage } from '../http/fixed-page.ts'
import { rejectForeignOrigin } from '../http/foreign-origin.ts'
import { createBodyReader, createBodyStep } from '../http/parse-body.ts'
import { auditRoute, buildAuditEntry } from '../http/record-audit.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { insertCode } from '../store/authorization-code-queries.ts'
import { dropExpiredTokens } from '../store/scoped-token-queries.ts'
import { LINK_PAGE_HEADERS, NO_STORE } from './link-page-routes.ts'
import { notFound } from './page-routes.ts'

export const AUTHORIZE_PATH = '/oauth/authorize'
/** A client fetches its token at once. */
const CODE_LIFETIME = 2 * MINUTE
const MAX_BODY_BYTES = 64 * 1024

const respondPage = servePage(
  async (c) => new FixedPage(await readPage(c, 'authorize.html'), LINK_PAGE_HEADERS),
)

export const requireIssuer: MiddlewareHandler<EdgeEnv> = async (c, next) =>
  findIssuer(c) === undefined ? notFound(c) : next()

/** Whoever may create scoped tokens of an instance: the instance itself, or an admin. */
const [asInstance, asAdmin] = [requireInstanceToken({ tokenScope: 'own' }), requireAdminToken('operate')]
const requireHolder: MiddlewareHandler<EdgeEnv> = (c, next) =>
  c.req.header('admintoken') === undefined ? asInstance(c, next) : asAdmin(c, next)

const readQuestion = createBodyReader({
  schema: AuthorizationQuestion,
  maxBytes: MAX_BODY_BYTES,
  samples: {},
})
const readConsent = createBodyReader({ schema: AuthorizationConsent, maxBytes: MAX_BODY_BYTES, samples: {} })

export function serveAuthorizationPage(app: Hono<EdgeEnv>): void {
  app.get(AUTHORIZE_PATH, requireIssuer, (c) => respondPage(c))
  app.post(
    `${AUTHORIZE_PATH}/details`,
    requireIssuer,
    rejectForeignOrigin,
    requireHolder,
    createBodyStep(readQuestion),
    async (c) => c.json(describeRequest(await readRequest(c)), 200, NO_STORE),
  )
  app.post(
    `${AUTHORIZE_PATH}/consent`,
    requireIssuer,
    rejectForeignOrigin,
    auditRoute('authorization.allow'),
    requireHolder,
    createBodyStep(readConsent),
    async (c) => c.json(await allowClient(c), 200, NO_STORE),
  )
}

const readRequest = (c: Context<EdgeEnv>) =>
  readAuthorizationRequest(c, findIssuer(c) ?? '', (c.get('body') as AuthorizationQuestion).query)

function describeRequest({
  client,
  redirectUri,
  scopes,
  formatReturn,
}: AuthorizationRequest): AuthorizationDetails {
  const target = new URL(redirectUri)
  return {
    name: client.name,
    host: client.host,
    returnHost: target.host,
    isLocal: isLocalRedirect(target),
    scopes,
    refusal: formatReturn({ error: 'access_denied' }),
  }
}

async function allowClient(c: Context<EdgeEnv>): Promise<AuthorizationGranted> {
  const { instance: named = '', scope, chats, expiresIn } = c.get('body') as AuthorizationConsent
  const own = c.get('instance')
  if (!own) await loadInstance(c, 'instance', named)
  else if (named !== '' && named !== own.id)
    throw new Fault('invalid_id', 'instance must be the one whose token this is.')
  const { client, clientId, redirectUri, challenge, resource, scopes, formatReturn } = await readRequest(c)
  if (!scopes.includes(scope))
    throw new Fault('invalid_body', `scope must be one that the client asks for: ${scopes.join(', ')}.`)
  const code = createToken('code')
  const createdAt = Date.now()
  const row = {
    codeHash: await hashSha256(code),
    instanceId: c.var.instance.id,
    clientHash: await hashSha256(clientId),
    clientName: client.name,
    redirectUri,
    resource,
    challenge,
    scope,
    chats: chats?.length ? chats : null,
    lifetime: expiresIn,
    createdAt,
    expiresAt: createdAt + CODE_LIFETIME,
  }
  const [, added] = await c.var.store.write([
    dropExpiredTokens(row.instanceId),
    insertCode(row),
    ...buildAuditEntry(c, { ifChanged: true }),
  ])
  if (added?.rowsAffected !== 1)
    throw new Fault(
      'too_many_tokens',
      'The instance has as many scoped tokens as it may have, or too many clients were allowed within an hour.',
    )
  return { returnTo: formatReturn({ code }) }
}
