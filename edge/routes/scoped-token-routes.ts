// Handlers that create, list and delete scoped tokens: for an instance with its own token, and for an admin by its id.

import type { ScopedToken } from '@msgnet/shared/contract/responses/scoped-token-responses.ts'
import type { ScopedTokenRequest } from '@msgnet/shared/contract/scoped-token.ts'
import { formatDateTime, SECOND } from '@msgnet/shared/date-time.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { createToken, hashSha256 } from '@msgnet/shared/random-tokens.ts'
import type { Context } from 'hono'
import { notifyTokenChanged } from '../delivery/notify-couriers.ts'
import { buildAuditEntry } from '../http/record-audit.ts'
import type { Handlers } from '../http/serve-route.ts'
import { isUuid } from '../http/uuid.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import {
  deleteScopedToken,
  dropExpiredTokens,
  insertScopedToken,
  listScopedTokens,
  type ScopedTokenRow,
} from '../store/scoped-token-queries.ts'

async function create(c: Context<EdgeEnv>, { body }: { body: ScopedTokenRequest }) {
  const { name, scope, chats, expiresIn } = body
  const { instance, store } = c.var
  const token = createToken('scoped')
  const createdAt = Date.now()
  const row = {
    id: crypto.randomUUID(),
    instanceId: instance.id,
    name,
    scope,
    chats: chats?.length ? chats : null,
    tokenHash: await hashSha256(token),
    createdAt,
    expiresAt: expiresIn === undefined ? 0 : createdAt + expiresIn * SECOND,
  }
  const [, added] = await store.write([
    dropExpiredTokens(instance.id),
    insertScopedToken(row),
    ...buildAuditEntry(c, { ifChanged: true }),
  ])
  if (added?.rowsAffected !== 1) throw new Fault('too_many_tokens')
  return { ...toScopedTokenRecord({ ...row, lastUsedAt: 0 }), token }
}

async function list(c: Context<EdgeEnv>) {
  const rows = await listScopedTokens(c.var.store, c.var.instance.id)
  return { tokens: rows.map(toScopedTokenRecord) }
}

async function remove(c: Context<EdgeEnv>) {
  const { instance, store } = c.var
  const id = c.req.param('tokenId') ?? ''
  if (!isUuid(id)) throw new Fault('invalid_id', 'tokenId must be a UUID.')
  const [ended] = await store.write([
    deleteScopedToken(store, instance.id, id.toLowerCase()),
    ...buildAuditEntry(c, { ifChanged: true }),
  ])
  if (ended?.rowsAffected !== 1) throw new Fault('token_not_found')
  await notifyTokenChanged(c.env, instance.id)
  return { response: 'Token deleted' }
}

export const scopedTokenHandlers = {
  createScopedToken: create,
  createScopedTokenById: create,
  listScopedTokens: list,
  listScopedTokensById: list,
  deleteScopedToken: remove,
  deleteScopedTokenById: remove,
} satisfies Partial<Handlers>

export const toScopedTokenRecord = (row: ScopedTokenRow): ScopedToken => ({
  id: row.id,
  name: row.name,
  scope: row.scope,
  chats: row.chats ?? [],
  createdAt: formatDateTime(row.createdAt),
  expiresAt: formatDateTime(row.expiresAt),
  lastUsedAt: formatDateTime(row.lastUsedAt),
})
