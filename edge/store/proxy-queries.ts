// Queries for proxies: one row for each instance that has one.

import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { proxies } from '@msgnet/shared/db/sealed-tables.ts'
import { eq } from 'drizzle-orm'
import type { Store } from './database/open-store.ts'

export type ProxyRow = typeof proxies.$inferSelect

export async function findProxy(store: Store, instanceId: string): Promise<ProxyRow | undefined> {
  const [row] = await store.db.select().from(proxies).where(eq(proxies.instanceId, instanceId))
  return row
}

export const storeProxy = (store: Store, row: ProxyRow): Statement =>
  store.db.insert(proxies).values(row).onConflictDoUpdate({ target: proxies.instanceId, set: row })

export const deleteProxy = (store: Store, instanceId: string): Statement =>
  store.db.delete(proxies).where(eq(proxies.instanceId, instanceId))
