// Queries for one-time links: create, find by digest, list, delete, purge. A trigger marks the links of an instance as used when a device is linked.

import { instances, links } from '@msgnet/shared/db/edge-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { and, desc, eq, gt, sql } from 'drizzle-orm'
import { DATABASE_NOW, type Store } from './database/open-store.ts'
import { type InstanceRow, instanceColumns } from './instance-queries.ts'

export type LinkRow = typeof links.$inferSelect

const isUnexpired = gt(links.expiresAt, sql<number>`${sql.raw(DATABASE_NOW)}`)

export const insertLink = (store: Store, row: typeof links.$inferInsert): Statement =>
  store.db.insert(links).values(row)

/** With its instance; undefined if the secret is unknown or the link has expired. A used link is found: its page says so. */
export async function findLinkByDigest(
  store: Store,
  secretHash: string,
  purpose: LinkRow['purpose'],
): Promise<{ link: LinkRow; instance: InstanceRow } | undefined> {
  const [found] = await store.db
    .select({ link: links, instance: instanceColumns })
    .from(links)
    .innerJoin(instances, eq(instances.id, links.instanceId))
    .where(and(eq(links.secretHash, secretHash), eq(links.purpose, purpose), isUnexpired))
    .limit(1)
  return found
}

export const listUsableLinks = (store: Store, instanceId: string): Promise<LinkRow[]> =>
  store.db
    .select()
    .from(links)
    .where(and(eq(links.instanceId, instanceId), eq(links.usedAt, 0), isUnexpired))
    .orderBy(desc(links.createdAt), links.id)

/** Changes a row if there is one. */
export const deleteLink = (store: Store, instanceId: string, id: string): Statement =>
  store.db.delete(links).where(and(eq(links.instanceId, instanceId), eq(links.id, id)))

/** Deletes expired links. */
export async function purgeLinks(store: Store, max: number): Promise<number> {
  const some = sql`id in (select id from ${links} where ${links.expiresAt} <= ${Date.now()} limit ${max})`
  const { rowsAffected } = await store.db.delete(links).where(some)
  return rowsAffected
}
