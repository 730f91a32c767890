// Queries for scoped tokens of instances: create, find by digest, list, delete, and when each was used last.

import { limits } from '@msgnet/shared/contract/limits.ts'
import { instances } from '@msgnet/shared/db/edge-tables.ts'
import { prepareQuery, type Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { scopedTokens } from '@msgnet/shared/db/scoped-token-tables.ts'
import { and, asc, eq, sql } from 'drizzle-orm'
import { DATABASE_NOW, type Store } from './database/open-store.ts'
import { type InstanceRow, instanceColumns } from './instance-queries.ts'
import { isScopedUnexpired } from './token-validity.ts'

export type ScopedTokenRow = typeof scopedTokens.$inferSelect

/** What a caller with a scoped token may do. */
export type Grant = Pick<ScopedTokenRow, 'id' | 'name' | 'scope' | 'chats'>

const { id, name, scope, chats } = scopedTokens
const LIVE = prepareQuery((db) =>
  db
    .select({ grant: { id, name, scope, chats }, instance: instanceColumns })
    .from(scopedTokens)
    .innerJoin(instances, eq(instances.id, scopedTokens.instanceId))
    .where(and(eq(scopedTokens.tokenHash, sql.placeholder('tokenHash')), isScopedUnexpired))
    .limit(1),
)

/** With its instance; undefined if the token is unknown or has expired. */
export async function findLiveScopedToken(
  store: Store,
  tokenHash: string,
): Promise<{ grant: Grant; instance: InstanceRow } | undefined> {
  const [row] = await store.read(LIVE, { tokenHash })
  return row
}

const DROP_EXPIRED = `delete from scoped_tokens where instance_id = ?1 and expires_at > 0 and expires_at <= ${DATABASE_NOW}
  and (select count(*) from scoped_tokens where instance_id = ?1) >= ?2`

/** For the write that adds a token: where an instance has as many as it may have, those that have expired make room. */
export const dropExpiredTokens = (instanceId: string): Statement => ({
  sql: DROP_EXPIRED,
  args: [instanceId, limits.maxScopedTokens],
})

const INSERT = `insert into scoped_tokens (id, instance_id, name, scope, chats, token_hash, created_at, expires_at, last_used_at)
select ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0 where (select count(*) from scoped_tokens where instance_id = ?2) < ?9`

/** Adds no row if the instance has the most that it may have. */
export const insertScopedToken = (row: Omit<ScopedTokenRow, 'lastUsedAt'>): Statement => ({
  sql: INSERT,
  args: [
    row.id,
    row.instanceId,
    row.name,
    row.scope,
    row.chats && JSON.stringify(row.chats),
    row.tokenHash,
    row.createdAt,
    row.expiresAt,
    limits.maxScopedTokens,
  ],
})

export const listScopedTokens = (store: Store, instanceId: string): Promise<ScopedTokenRow[]> =>
  store.db
    .select()
    .from(scopedTokens)
    .where(eq(scopedTokens.instanceId, instanceId))
    .orderBy(asc(scopedTokens.createdAt), scopedTokens.id)

/** Changes a row if there is one. */
export const deleteScopedToken = (store: Store, instanceId: string, tokenId: string): Statement =>
  store.db
    .delete(scopedTokens)
    .where(and(eq(scopedTokens.instanceId, instanceId), eq(scopedTokens.id, tokenId)))

/** `uses`: by the id of the token. */
export const storeTokenUses = (store: Store, uses: ReadonlyMap<string, number>): Promise<unknown> =>
  store.db.run(sql`update ${scopedTokens} set last_used_at = max(last_used_at, used.value)
    from json_each(${JSON.stringify(Object.fromEntries(uses))}) used where used.key = scoped_tokens.id`)
