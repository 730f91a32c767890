// Handlers that create, list, renew and delete admin tokens.

import type { Context } from 'hono'
import * as z from 'zod'
import { dateTime, SECOND } from '../../shared/clock.ts'
import type { AdminToken } from '../../shared/contract/answers/token.ts'
import { Fault } from '../../shared/faults.ts'
import { digest, makeToken } from '../../shared/tokens.ts'
import type { EdgeEnv } from '../context.ts'
import { auditOf } from '../http/audit.ts'
import { keyScopeOf } from '../http/idempotency.ts'
import type { Handlers } from '../http/serve.ts'
import {
  type AdminTokenRow,
  adminTokenById,
  deleteAdminToken,
  insertAdminToken,
  listAdminTokens,
  renewAdminToken,
} from '../store/admin-tokens.ts'
import { dropKeys } from '../store/idempotency-keys.ts'

export const tokenHandlers = {
  async createToken(c, { body: { name, scope, expiresIn } }) {
    const token = makeToken('admin')
    const createdAt = Date.now()
    const expiresAt = expiresIn === undefined ? 0 : createdAt + expiresIn * SECOND
    const row = { id: crypto.randomUUID(), name, scope, createdAt, expiresAt }
    const insert = insertAdminToken(c.var.store, { ...row, tokenHash: await digest(token) })
    await c.var.store.write([insert, ...auditOf(c, { target: row.id })])
    return { token, record: tokenRecord({ ...row, renewedAt: 0, previousTokenUntil: 0 }) }
  },

  async listTokens(c) {
    return { tokens: (await listAdminTokens(c.var.store)).map(tokenRecord) }
  },

  async renewToken(c, { body: { overlap } }) {
    const id = tokenIdIn(c)
    const { store } = c.var
    const token = makeToken('admin')
    const renew = renewAdminToken(store, id, await digest(token), overlap)
    await store.write([renew, ...auditOf(c, { ifChanged: true })])
    const row = await adminTokenById(store, id)
    if (!row) throw new Fault('token_not_found')
    return { token, record: tokenRecord(row) }
  },

  async deleteToken(c) {
    const id = tokenIdIn(c)
    const { store } = c.var
    const [ended] = await store.write([deleteAdminToken(store, id), ...auditOf(c, { ifChanged: true })])
    if (ended?.rowsAffected !== 1) throw new Fault('token_not_found')
    await dropKeys(store, keyScopeOf({ kind: 'token', id }))
    return { response: 'Token deleted' }
  },
} satisfies Partial<Handlers>

function tokenIdIn(c: Context<EdgeEnv>): string {
  const id = c.req.param('id') ?? ''
  if (!z.uuid().safeParse(id).success) throw new Fault('invalid_id', 'id must be a UUID.')
  return id.toLowerCase()
}

type Shown = Omit<AdminTokenRow, 'tokenHash' | 'previousTokenHash'>

const tokenRecord = (row: Shown): AdminToken => ({
  ...{ id: row.id, name: row.name, scope: row.scope },
  ...{ createdAt: dateTime(row.createdAt), renewedAt: dateTime(row.renewedAt) },
  ...{ expiresAt: dateTime(row.expiresAt), previousUntil: dateTime(row.previousTokenUntil) },
})
