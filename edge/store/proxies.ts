// Queries for proxies: one row for each instance that has one.

import { eq } from 'drizzle-orm'
import { proxies } from '../../shared/db/sealed-tables.ts'
import type { Statement } from '../../shared/db/statements.ts'
import type { Store } from './database/database.ts'

export type ProxyRow = typeof proxies.$inferSelect

export async function findProxy(store: Store, instanceId: string): Promise<ProxyRow | undefined> {
  const [row] = await store.db.select().from(proxies).where(eq(proxies.instanceId, instanceId))
  return row
}

export const saveProxy = (store: Store, row: ProxyRow): Statement =>
  store.db.insert(proxies).values(row).onConflictDoUpdate({ target: proxies.instanceId, set: row })

export const dropProxy = (store: Store, instanceId: string): Statement =>
  store.db.delete(proxies).where(eq(proxies.instanceId, instanceId))
