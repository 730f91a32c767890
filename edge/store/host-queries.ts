// Queries for session hosts: the admin registers them, heartbeats renew their lease, placement chooses among them.

import { hosts, instances, previousHosts } from '@msgnet/shared/db/edge-tables.ts'
import { prepareQuery, type Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { and, eq, getTableColumns, ne, notExists, sql } from 'drizzle-orm'
import { DATABASE_NOW, type Store } from './database/open-store.ts'

const live = sql<boolean>`${hosts.leaseUntil} > ${sql.raw(DATABASE_NOW)}`.mapWith(Boolean)
// The host's own number of slots counts only up to the number that the admin allows.
const slots = sql<number>`iif(${hosts.slots} = 0, ${hosts.maxSlots}, min(${hosts.slots}, ${hosts.maxSlots}))`
const columns = { ...getTableColumns(hosts), slots, live }

export type HostRow = typeof hosts.$inferSelect & { live: boolean }

export const listHosts = (store: Store): Promise<HostRow[]> =>
  store.db.select(columns).from(hosts).orderBy(hosts.createdAt, hosts.id)

export async function findHostById(store: Store, id: string): Promise<HostRow | undefined> {
  const rows = await store.db.select(columns).from(hosts).where(eq(hosts.id, id))
  return rows[0]
}

export async function findHostIdByToken(store: Store, tokenHash: string): Promise<string | undefined> {
  const rows = await store.db.select({ id: hosts.id }).from(hosts).where(eq(hosts.tokenHash, tokenHash))
  return rows[0]?.id
}

/** `also`, here and below: statements of the same write, after the host's own row. */
export async function insertHost(
  store: Store,
  host: typeof hosts.$inferInsert,
  also: Statement[],
): Promise<void> {
  await store.write([store.db.insert(hosts).values(host), ...also])
}

/**
 * Returns false if there is no such host, or if instances are linked there: their credentials could not be found after the
 * host was deleted.
 */
export async function deleteHost(store: Store, id: string, also: Statement[]): Promise<boolean> {
  const linkedThere = store.db
    .select({ one: sql`1` })
    .from(instances)
    .where(and(eq(instances.hostId, id), ne(instances.jid, '')))
  const forgotten = store.db
    .delete(previousHosts)
    .where(and(eq(previousHosts.hostId, id), sql`not exists (select 1 from hosts where id = ${id})`))
  const deletion = store.db.delete(hosts).where(and(eq(hosts.id, id), notExists(linkedThere)))
  return writeChange(store, deletion, [...also, forgotten])
}

/** While it drains, it gets no new instances. Returns false when there is no such host. */
export const markDraining = (
  store: Store,
  id: string,
  also: Statement[],
  draining = true,
): Promise<boolean> =>
  writeChange(store, store.db.update(hosts).set({ draining }).where(eq(hosts.id, id)), also)

/** The previous token ends. Returns false when there is no such host. */
export const replaceHostToken = (
  store: Store,
  id: string,
  tokenHash: string,
  also: Statement[],
): Promise<boolean> =>
  writeChange(store, store.db.update(hosts).set({ tokenHash }).where(eq(hosts.id, id)), also)

/** Returns false when there is no such host. */
export const changeSlots = (
  store: Store,
  id: string,
  maxSlots: number,
  also: Statement[],
): Promise<boolean> =>
  writeChange(store, store.db.update(hosts).set({ maxSlots }).where(eq(hosts.id, id)), also)

async function writeChange(store: Store, change: Statement, also: Statement[]): Promise<boolean> {
  const [result] = await store.write([change, ...also])
  return result !== undefined && result.rowsAffected > 0
}

const LEASE_UNTIL = prepareQuery((db) =>
  db
    .select({ until: hosts.leaseUntil })
    .from(hosts)
    .where(eq(hosts.id, sql.placeholder('id'))),
)

/** When the host was last heard; 0 if it has given up its lease, or if there is no such host. */
export async function readHeardAt(store: Store, id: string, leaseMs: number): Promise<number> {
  if (id === '') return 0
  const [row] = await store.read(LEASE_UNTIL, { id })
  return Math.max(0, (row?.until ?? 0) - leaseMs)
}

/** Milliseconds by the database's clock; 0 if the lease has ended or there is no such host. */
export async function readLeaseLeft(store: Store, id: string): Promise<number> {
  const left = sql<number>`${hosts.leaseUntil} - ${sql.raw(DATABASE_NOW)}`
  const [row] = await store.db.select({ left }).from(hosts).where(eq(hosts.id, id))
  return Math.max(0, row?.left ?? 0)
}

export type Load = Partial<Pick<HostRow, 'slots' | 'sessions' | 'lag' | 'boot' | 'storeId'>>

/** Renews the lease from now on by the database's clock. Returns false when the host, or its token, is no longer known. */
export async function renewLease(
  store: Store,
  { host, tokenHash }: { host: string; tokenHash: string },
  leaseMs: number,
  load: Load,
): Promise<boolean> {
  const leaseUntil = sql`${sql.raw(DATABASE_NOW)} + ${leaseMs}`
  // A host that was drained and then started again is not draining any more.
  const draining =
    load.boot === undefined ? {} : { draining: sql`${hosts.draining} and ${hosts.boot} = ${load.boot}` }
  const { rowsAffected } = await store.db
    .update(hosts)
    .set({ ...load, ...draining, leaseUntil })
    .where(and(eq(hosts.id, host), eq(hosts.tokenHash, tokenHash)))
  return rowsAffected > 0
}
