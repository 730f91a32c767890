// Queries for authorization codes: create, find by digest, exchange for a scoped token, revoke what a code was used for, purge.

import { limits } from '@msgnet/shared/contract/limits.ts'
import { HOUR } from '@msgnet/shared/date-time.ts'
import { authorizationCodes } from '@msgnet/shared/db/authorization-code-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { scopedTokens } from '@msgnet/shared/db/scoped-token-tables.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { Store } from './database/open-store.ts'

export type CodeRow = typeof authorizationCodes.$inferSelect

/** An old code is known for so long after its end: who uses it again has stolen it, or has it from the one who did. */
const RETENTION = HOUR
/** Codes of an instance that are not purged yet. */
const MAX_CODES = 100

const INSERT = `insert into authorization_codes (code_hash, instance_id, client_hash, client_name, redirect_uri, resource, challenge,
  scope, chats, lifetime, created_at, expires_at)
select ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12
where (select count(*) from authorization_codes where instance_id = ?2) < ${MAX_CODES}
  and (select count(*) from scoped_tokens where instance_id = ?2) < ?13`

/** Adds no row if the instance has had too many codes within the hour, or has as many scoped tokens as it may have. */
export const insertCode = (row: Omit<CodeRow, 'tokenId'>): Statement => ({
  sql: INSERT,
  args: [
    row.codeHash,
    row.instanceId,
    row.clientHash,
    row.clientName,
    row.redirectUri,
    row.resource,
    row.challenge,
    row.scope,
    row.chats && JSON.stringify(row.chats),
    row.lifetime,
    row.createdAt,
    row.expiresAt,
    limits.maxScopedTokens,
  ],
})

/** Also if it was used or has expired. */
export async function findCode(store: Store, codeHash: string): Promise<CodeRow | undefined> {
  const [row] = await store.db
    .select()
    .from(authorizationCodes)
    .where(eq(authorizationCodes.codeHash, codeHash))
    .limit(1)
  return row
}

const ISSUE = `insert into scoped_tokens (id, instance_id, name, scope, chats, token_hash, created_at, expires_at, last_used_at)
select ?2, instance_id, client_name, scope, chats, ?3, ?4, ?5, 0 from authorization_codes where code_hash = ?1 and token_id = ?2
  and (select count(*) from scoped_tokens where scoped_tokens.instance_id = authorization_codes.instance_id) < ?6`

export interface IssuedToken {
  id: string
  tokenHash: string
  createdAt: number
  expiresAt: number
}

/** The first changes a row if the code was not used before; the second adds the token then. */
export const exchangeCode = (store: Store, codeHash: string, token: IssuedToken): Statement[] => [
  store.db
    .update(authorizationCodes)
    .set({ tokenId: token.id })
    .where(and(eq(authorizationCodes.codeHash, codeHash), eq(authorizationCodes.tokenId, ''))),
  {
    sql: ISSUE,
    args: [codeHash, token.id, token.tokenHash, token.createdAt, token.expiresAt, limits.maxScopedTokens],
  },
]

/** Deletes the token that the code was used for, if it is still there. */
export const revokeIssued = (store: Store, codeHash: string): Statement =>
  store.db
    .delete(scopedTokens)
    .where(
      sql`${scopedTokens.id} = (select token_id from ${authorizationCodes} where ${authorizationCodes.codeHash} = ${codeHash})`,
    )

/** Deletes codes that ended long ago. */
export async function purgeCodes(store: Store, max: number): Promise<number> {
  const some = sql`code_hash in (select code_hash from ${authorizationCodes}
    where ${authorizationCodes.expiresAt} <= ${Date.now() - RETENTION} limit ${max})`
  const { rowsAffected } = await store.db.delete(authorizationCodes).where(some)
  return rowsAffected
}
