// Instances in the database: made, found, listed, assigned to a host, deleted.

import { and, eq, getTableColumns, gt, notExists, type SQL, sql } from 'drizzle-orm'
import { events, hosts, instances, listeners, replays, subscriptions } from '../../shared/db/edge-tables.ts'
import { DATABASE_NOW, type Statement, type Store } from './database.ts'

/** `held`: the lease of its host runs, so what the row says of the session is what the host last said. */
export type InstanceRow = typeof instances.$inferSelect & { held: boolean }
export type ListedInstance = Omit<InstanceRow, 'pairing'>

const held = sql<boolean>`coalesce(${hosts.leaseUntil} > ${sql.raw(DATABASE_NOW)}, 0)`.mapWith(Boolean)
const columns = { ...getTableColumns(instances), held }
const { pairing: _, ...listed } = columns

export const instanceByToken = (store: Store, tokenHash: string) =>
  one(store, eq(instances.tokenHash, tokenHash))

export const instanceById = (store: Store, id: string) => one(store, eq(instances.id, id))

async function one(store: Store, where: SQL): Promise<InstanceRow | undefined> {
  const query = store.db.select(columns).from(instances)
  const rows = await query.leftJoin(hosts, eq(hosts.id, instances.hostId)).where(where).limit(1)
  return rows[0]
}

/** Oldest first. */
export function listInstances(store: Store, companyId?: string): Promise<ListedInstance[]> {
  return store.db
    .select(listed)
    .from(instances)
    .leftJoin(hosts, eq(hosts.id, instances.hostId))
    .where(companyId ? eq(instances.companyId, companyId) : undefined)
    .orderBy(instances.createdAt, instances.id)
}

export type NewInstance = Pick<InstanceRow, 'id' | 'kind' | 'name' | 'companyId' | 'tokenHash' | 'createdAt'>

export const insertInstance = (store: Store, made: NewInstance): Statement =>
  store.db.insert(instances).values({ ...made, updatedAt: made.createdAt })

export async function replaceToken(store: Store, id: string, tokenHash: string): Promise<void> {
  await store.db.update(instances).set({ tokenHash, updatedAt: Date.now() }).where(eq(instances.id, id))
}

/**
 * Gives the instance to a host under the next epoch. Answers false when somebody else assigned it since it was read, or
 * while the lease of the host that has it runs.
 * The state starts over: a host counts its `rev` anew under a new assignment.
 */
export async function assign(store: Store, instance: InstanceRow, hostId: string): Promise<boolean> {
  const unchanged = and(
    eq(instances.id, instance.id),
    eq(instances.hostId, instance.hostId),
    eq(instances.epoch, instance.epoch),
    // Judged here: a host that has come back at this moment keeps what it has.
    notExists(
      store.db
        .select({ one: sql`1` })
        .from(hosts)
        .where(
          and(eq(hosts.id, instance.hostId), gt(hosts.leaseUntil, sql<number>`${sql.raw(DATABASE_NOW)}`)),
        ),
    ),
  )
  const fresh = { hostId, epoch: instance.epoch + 1, rev: 0, updatedAt: Date.now() }
  // The host's own count arrives with its next heartbeat; until then several placements must not see the same free slot.
  const taken = store.db
    .update(hosts)
    .set({ sessions: sql`${hosts.sessions} + changes()` })
    .where(eq(hosts.id, hostId))
  const [assigned] = await store.write([store.db.update(instances).set(fresh).where(unchanged), taken])
  return assigned?.rowsAffected === 1
}

/** The instance with all that was kept for it. */
export async function deleteInstance(store: Store, id: string): Promise<void> {
  await store.write([
    store.db.delete(events).where(eq(events.instanceId, id)),
    store.db.delete(listeners).where(eq(listeners.instanceId, id)),
    store.db.delete(subscriptions).where(eq(subscriptions.instanceId, id)),
    store.db.delete(replays).where(eq(replays.scope, id)),
    store.db.delete(instances).where(eq(instances.id, id)),
  ])
}
