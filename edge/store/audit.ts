// Queries for the audit log: entries are added, read in pages, and deleted when they are old.

import { and, asc, desc, eq, gt, gte, lt, sql } from 'drizzle-orm'
import { audit } from '../../shared/db/admin-tables.ts'
import type { Statement } from '../../shared/db/statements.ts'
import type { Store } from './database/database.ts'

export type AuditRow = typeof audit.$inferSelect
type Entry = Omit<AuditRow, 'seq'>

/** `ifChanged`: the entry is added only if the statement before it has changed a row. */
export const auditEntry = (entry: Entry, ifChanged: boolean): Statement => ({
  sql: `insert into audit (at, action, actor, actor_id, actor_name, target, address, request_id, outcome)
select ?, ?, ?, ?, ?, ?, ?, ?, ?${ifChanged ? ' where changes() > 0' : ''}`,
  args: [
    ...[entry.at, entry.action, entry.actor, entry.actorId, entry.actorName],
    ...[entry.target, entry.address, entry.requestId, entry.outcome],
  ],
})

export interface AuditFilter {
  limit: number
  /** Lists the entries after this one, oldest first; without it the newest come first. */
  afterSeq?: number | undefined
  beforeSeq?: number | undefined
  action?: AuditRow['action'] | undefined
  actor?: AuditRow['actor'] | undefined
  actorId?: string | undefined
  target?: string | undefined
  requestId?: string | undefined
  outcome?: string | undefined
  /** Milliseconds; `since` is included, the second is not. */
  since?: number | undefined
  until?: number | undefined
}

export function listAudit(store: Store, filter: AuditFilter): Promise<AuditRow[]> {
  const { limit, afterSeq, beforeSeq, since, until, ...same } = filter
  const wanted = and(
    ...Object.entries(same).map(([name, value]) =>
      value === undefined ? undefined : eq(audit[name as keyof typeof same], value),
    ),
    afterSeq === undefined ? undefined : gt(audit.seq, afterSeq),
    beforeSeq === undefined ? undefined : lt(audit.seq, beforeSeq),
    since === undefined ? undefined : gte(audit.at, since),
    until === undefined ? undefined : lt(audit.at, until),
  )
  const order = afterSeq === undefined ? desc(audit.seq) : asc(audit.seq)
  return store.db.select().from(audit).where(wanted).orderBy(order).limit(limit)
}

export async function purgeAudit(store: Store, olderThan: number, atMost: number): Promise<number> {
  const some = sql`seq in (select seq from ${audit} where ${audit.at} < ${olderThan} limit ${atMost})`
  const { rowsAffected } = await store.db.delete(audit).where(some)
  return rowsAffected
}
