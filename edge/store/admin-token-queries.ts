// Queries for admin tokens: create, find by digest, list, renew, delete.

import { adminTokens } from '@msgnet/shared/db/admin-tables.ts'
import { prepareQuery, type Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { DATABASE_NOW, type Store } from './database/open-store.ts'
import { matchesToken, matchesTokenName, renewToken } from './token-validity.ts'

export type AdminTokenRow = typeof adminTokens.$inferSelect

const isUnexpired = sql`(${adminTokens.expiresAt} = 0 or ${adminTokens.expiresAt} > ${sql.raw(DATABASE_NOW)})`
const LIVE = prepareQuery((db) =>
  db
    .select({ id: adminTokens.id, name: adminTokens.name, scope: adminTokens.scope })
    .from(adminTokens)
    .where(and(matchesToken('admin_tokens', sql.placeholder('tokenHash')), isUnexpired))
    .limit(1),
)

/** Undefined if the token is unknown or has expired. */
export async function findLiveAdminToken(store: Store, tokenHash: string) {
  const [row] = await store.read(LIVE, { tokenHash })
  return row
}

/** SQL: there is a valid token with this digest. */
export const hasLiveAdminToken = (tokenHash: string): SQL =>
  sql`exists (select 1 from admin_tokens where ${matchesToken('admin_tokens', tokenHash)} and ${isUnexpired})`

/** The same for the name by which a link to a file knows it. */
export const hasNamedAdminToken = (name: string): SQL =>
  sql`exists (select 1 from admin_tokens where ${matchesTokenName('admin_tokens', name)} and ${isUnexpired})`

export const insertAdminToken = (store: Store, row: typeof adminTokens.$inferInsert): Statement =>
  store.db.insert(adminTokens).values(row)

export const listAdminTokens = (store: Store): Promise<AdminTokenRow[]> =>
  store.db.select().from(adminTokens).orderBy(adminTokens.createdAt, adminTokens.id)

export async function findAdminTokenById(store: Store, id: string): Promise<AdminTokenRow | undefined> {
  const [row] = await store.db.select().from(adminTokens).where(eq(adminTokens.id, id))
  return row
}

/** Changes a row if there is one. */
export const renewAdminToken = (store: Store, id: string, tokenHash: string, overlap: number): Statement =>
  store.db
    .update(adminTokens)
    .set({ ...renewToken(adminTokens, tokenHash, overlap), renewedAt: Date.now() })
    .where(eq(adminTokens.id, id))

/** Changes a row if there is one. */
export const deleteAdminToken = (store: Store, id: string): Statement =>
  store.db.delete(adminTokens).where(eq(adminTokens.id, id))
