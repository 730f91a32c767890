// Handlers that create, list, renew and delete admin tokens.

import type { AdminToken } from '@msgnet/shared/contract/responses/token-responses.ts'
import { formatDateTime, SECOND } from '@msgnet/shared/date-time.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { createToken, hashSha256 } from '@msgnet/shared/random-tokens.ts'
import type { Context } from 'hono'
import { buildAuditEntry } from '../http/record-audit.ts'
import type { Handlers } from '../http/serve-route.ts'
import { isUuid } from '../http/uuid.ts'
import { deleteKeys } from '../idempotency/key-store.ts'
import { formatKeyScope } from '../request/idempotency-step.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import {
  type AdminTokenRow,
  deleteAdminToken,
  findAdminTokenById,
  insertAdminToken,
  listAdminTokens,
  renewAdminToken,
} from '../store/admin-token-queries.ts'

export const tokenHandlers = {
  async createToken(c, { body: { name, scope, expiresIn } }) {
    const token = createToken('admin')
    const createdAt = Date.now()
    const expiresAt = expiresIn === undefined ? 0 : createdAt + expiresIn * SECOND
    const row = { id: crypto.randomUUID(), name, scope, createdAt, expiresAt }
    const insert = insertAdminToken(c.var.store, { ...row, tokenHash: await hashSha256(token) })
    await c.var.store.write([insert, ...buildAuditEntry(c, { target: row.id })])
    return { token, record: toTokenRecord({ ...row, renewedAt: 0, previousTokenUntil: 0 }) }
  },

  async listTokens(c) {
    return { tokens: (await listAdminTokens(c.var.store)).map(toTokenRecord) }
  },

  async renewToken(c, { body: { overlap } }) {
    const id = parseTokenId(c)
    const { store } = c.var
    const token = createToken('admin')
    const renew = renewAdminToken(store, id, await hashSha256(token), overlap)
    await store.write([renew, ...buildAuditEntry(c, { ifChanged: true })])
    const row = await findAdminTokenById(store, id)
    if (!row) throw new Fault('token_not_found')
    return { token, record: toTokenRecord(row) }
  },

  async deleteToken(c) {
    const id = parseTokenId(c)
    const { store } = c.var
    const [ended] = await store.write([
      deleteAdminToken(store, id),
      ...buildAuditEntry(c, { ifChanged: true }),
    ])
    if (ended?.rowsAffected !== 1) throw new Fault('token_not_found')
    await deleteKeys(store, formatKeyScope({ kind: 'token', id }))
    return { response: 'Token deleted' }
  },
} satisfies Partial<Handlers>

function parseTokenId(c: Context<EdgeEnv>): string {
  const id = c.req.param('id') ?? ''
  if (!isUuid(id)) throw new Fault('invalid_id', 'id must be a UUID.')
  return id.toLowerCase()
}

type Shown = Omit<AdminTokenRow, 'tokenHash' | 'previousTokenHash'>

const toTokenRecord = (row: Shown): AdminToken => ({
  id: row.id,
  name: row.name,
  scope: row.scope,
  createdAt: formatDateTime(row.createdAt),
  renewedAt: formatDateTime(row.renewedAt),
  expiresAt: formatDateTime(row.expiresAt),
  previousUntil: formatDateTime(row.previousTokenUntil),
})
