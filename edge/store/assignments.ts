// Which instance is whose: assignments read, and moved from host to host under a higher epoch.

import { and, eq, ne, sql } from 'drizzle-orm'
import { hosts, instances } from '../../shared/db/edge-tables.ts'
import type { Assignment } from '../../shared/wire/frames.ts'
import { byName, DATABASE_NOW, type Store } from './database/database.ts'

export interface Assigned extends Assignment {
  hostId: string
  /** As far as the edge knows: a session is wanted. */
  wanted: boolean
}

const columns = {
  instance: instances.id,
  epoch: instances.epoch,
  kind: instances.kind,
  hostId: instances.hostId,
  wanted: sql<boolean>`${instances.status} <> 'disconnected'`.mapWith(Boolean),
}

export const assignedTo = (store: Store, hostId: string): Promise<Assigned[]> =>
  store.db.select(columns).from(instances).where(eq(instances.hostId, hostId))

export const wantedOf = (store: Store, hostId: string): Promise<Assigned[]> =>
  store.db
    .select(columns)
    .from(instances)
    .where(and(eq(instances.hostId, hostId), ne(instances.status, 'disconnected')))

/** Those of `ids` that exist, whoever has them. */
export const assignmentsOf = (store: Store, ids: string[]): Promise<Assigned[]> =>
  store.db
    .select(columns)
    .from(instances)
    .where(sql`${instances.id} in (select value from json_each(${JSON.stringify(ids)}))`)

const BEGIN_ANEW = `
update instances set epoch = epoch + 1, rev = 0, pairing = null, updated_at = ?3
where host_id = ?1 and rev > 0 and id in (select value from json_each(?2))
returning id as instance, epoch, kind, jid`

/** What the host has reported of and knows nothing of any more: its count of states starts over, under the next epoch. */
export async function beginAnew(store: Store, hostId: string, ids: string[]): Promise<Assignment[]> {
  if (ids.length === 0) return []
  const [begun] = await store.write([{ sql: BEGIN_ANEW, args: [hostId, JSON.stringify(ids), Date.now()] }])
  return (begun ? byName(begun) : []).map((row) => ({ ...assignmentOf(row), jid: String(row.jid) }))
}

/**
 * The lease is judged inside the statement: a host that comes back at this moment has it again or has lost them, and
 * knows by its welcome which. The state starts over: a host counts its `rev` anew under a new assignment.
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
 * Gives what is still `from`'s under these epochs to `to`, and answers it as it is assigned now. Unless they were
 * `yielded`, nothing is moved while the lease of `from` runs.
 */
export async function move(
  store: Store,
  given: Pick<Assignment, 'instance' | 'epoch'>[],
  { from, to, yielded }: { from: string; to: string; yielded: boolean },
): Promise<Assignment[]> {
  const named = JSON.stringify(given.map(({ instance, epoch }) => ({ instance, epoch })))
  // The host's own count arrives with its next beat; until then several placements must not see the same free slot.
  const taken = store.db
    .update(hosts)
    .set({ sessions: sql`${hosts.sessions} + changes()` })
    .where(eq(hosts.id, to))
  const [moved] = await store.write([
    { sql: MOVE, args: [named, to, from, Date.now(), yielded ? 1 : 0] },
    taken,
  ])
  return (moved ? byName(moved) : []).map(assignmentOf)
}

const assignmentOf = ({ instance, epoch, kind }: Record<string, unknown>): Assignment => ({
  instance: String(instance),
  epoch: Number(epoch),
  kind: kind === 'calls' ? 'calls' : 'msgnet',
})
