// Queries for assignments of instances to hosts. A move to another host raises the epoch.

import { hosts, instances } from '@msgnet/shared/db/edge-tables.ts'
import type { Assignment } from '@msgnet/shared/wire/link-frames.ts'
import { and, eq, ne, sql } from 'drizzle-orm'
import { DATABASE_NOW, type Store, toRecords } from './database/open-store.ts'

export interface Assigned extends Assignment {
  hostId: string
  /** Whether a session is expected to run, as far as the edge knows. */
  isExpected: boolean
}

const columns = {
  instance: instances.id,
  epoch: instances.epoch,
  kind: instances.kind,
  hostId: instances.hostId,
  isExpected: sql<boolean>`${instances.status} <> 'disconnected'`.mapWith(Boolean),
}

export const listAssigned = (store: Store, hostId: string): Promise<Assigned[]> =>
  store.db.select(columns).from(instances).where(eq(instances.hostId, hostId))

export const listExpectedSessions = (store: Store, hostId: string): Promise<Assigned[]> =>
  store.db
    .select(columns)
    .from(instances)
    .where(and(eq(instances.hostId, hostId), ne(instances.status, 'disconnected')))

/** The assignments of those `ids` that exist, on any host. */
export const findAssignments = (store: Store, ids: string[]): Promise<Assigned[]> =>
  store.db
    .select(columns)
    .from(instances)
    .where(sql`${instances.id} in (select value from json_each(${JSON.stringify(ids)}))`)

const START_NEXT_EPOCH = `
update instances set epoch = epoch + 1, rev = 0, pairing = null, updated_at = ?3
where host_id = ?1 and rev > 0 and id in (select value from json_each(?2))
returning id as instance, epoch, kind, jid`

/** For instances that the host has reported before and no longer has: under the next epoch their `rev` starts again. */
export async function startNextEpoch(store: Store, hostId: string, ids: string[]): Promise<Assignment[]> {
  if (ids.length === 0) return []
  const [begun] = await store.write([
    { sql: START_NEXT_EPOCH, args: [hostId, JSON.stringify(ids), Date.now()] },
  ])
  return (begun ? toRecords(begun) : []).map((row) => ({ ...toAssignment(row), jid: String(row.jid) }))
}

/**
 * The statement itself checks the lease: a host that returns at this moment either still has its instances or not, and
 * its `welcome` says which. The state is reset, because `rev` starts again under a new assignment.
 */
const MOVE = `
update instances set host_id = ?2, epoch = instances.epoch + 1, rev = 0, connected = 0, logged_in = 0, pairing = null,
  status = case status when 'connected' then 'connecting' else status end, updated_at = ?4
from json_each(?1) given
where instances.id = given.value ->> 'instance' and instances.epoch = given.value ->> 'epoch'
  and instances.host_id = ?3
  and (?5 or not exists (select 1 from hosts where id = ?3 and lease_until > ${DATABASE_NOW}))
returning instances.id as instance, instances.epoch as epoch, instances.kind as kind`

/**
 * Moves the instances that `from` still has under these epochs to `to`, and returns the new assignments. Unless they
 * were `yielded`, nothing is moved while the lease of `from` runs.
 */
export async function moveInstances(
  store: Store,
  candidates: Pick<Assignment, 'instance' | 'epoch'>[],
  { from, to, yielded }: { from: string; to: string; yielded: boolean },
): Promise<Assignment[]> {
  const named = JSON.stringify(candidates.map(({ instance, epoch }) => ({ instance, epoch })))
  // The host's own count arrives with its next heartbeat; until then several placements must not use the same free slot.
  const taken = store.db
    .update(hosts)
    .set({ sessions: sql`${hosts.sessions} + changes()` })
    .where(eq(hosts.id, to))
  const [moved] = await store.write([
    { sql: MOVE, args: [named, to, from, Date.now(), yielded ? 1 : 0] },
    taken,
  ])
  return (moved ? toRecords(moved) : []).map(toAssignment)
}

const toAssignment = ({ instance, epoch, kind }: Record<string, unknown>): Assignment => ({
  instance: String(instance),
  epoch: Number(epoch),
  kind: kind === 'calls' ? 'calls' : 'msgnet',
})
