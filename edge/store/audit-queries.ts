// Queries for the audit log: entries are added, read in pages, and deleted when they are old.

import {
  auditEntriesPerMinute,
  type ReadingAction,
  readingActions,
} from '@msgnet/shared/contract/audit-actions.ts'
import { HOUR, MINUTE } from '@msgnet/shared/date-time.ts'
import { audit } from '@msgnet/shared/db/admin-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { and, asc, desc, eq, gt, gte, lt, notInArray, sql } from 'drizzle-orm'
import type { Store } from './database/open-store.ts'

export type AuditRow = typeof audit.$inferSelect
type Entry = Omit<AuditRow, 'seq'>

/** SQL that decides whether an entry is added. */
export interface Condition {
  sql: string
  args: (string | number)[]
}

/** The statement before has changed a row. */
export const CHANGED: Condition = { sql: 'changes() > 0', args: [] }

/** Of reads of one instance by one caller: none of the last hour is in the log. */
export const isFirstOfHour = (
  at: number,
  action: ReadingAction,
  { actor, actorId, as }: Pick<Entry, 'actor' | 'actorId' | 'as'>,
): Condition => ({
  sql: `not exists (select 1 from audit where acting_for = ? and action = ? and at > ? and actor = ? and actor_id = ? and outcome = 'done'
    and acting_for <> '')`,
  args: [as, action, at - HOUR, actor, actorId],
})

export function insertAuditEntry(entry: Entry, onlyIf?: Condition): Statement {
  const conditions = [...(onlyIf ? [onlyIf] : []), ...buildRateConditions(entry)]
  const where = conditions.map(({ sql }) => sql).join(' and ')
  return {
    sql: `insert into audit (at, action, actor, actor_id, actor_name, acting_for, target, address, request_id, outcome)
select ?, ?, ?, ?, ?, ?, ?, ?, ?, ?${where && ` where ${where}`}`,
    args: [
      entry.at,
      entry.action,
      entry.actor,
      entry.actorId,
      entry.actorName,
      entry.as,
      entry.target,
      entry.address,
      entry.requestId,
      entry.outcome,
      ...conditions.flatMap(({ args }) => args),
    ],
  }
}

// The plus signs keep the other indexes unused: the last minute has fewer entries than a caller or a target has in a year.
const RECENT = 'from audit where at > ? and actor = ? and +actor_id = ?'

/** Prevents one caller from filling the log. All that admin tokens do is entered. */
function buildRateConditions({ at, action, actor, actorId, target, outcome }: Entry): Condition[] {
  const isDone = outcome === 'done'
  if (isDone && (actor === 'root' || actor === 'token')) return []
  const recentArgs = [at - MINUTE, actor, actorId]
  const some = {
    sql: `(select count(*) ${RECENT} and (outcome = 'done') = ?) < ?`,
    args: [...recentArgs, isDone ? 1 : 0, auditEntriesPerMinute],
  }
  const repeated = {
    sql: `not exists (select 1 ${RECENT} and action = ? and +target = ? and outcome = ?)`,
    args: [...recentArgs, action, target, outcome],
  }
  return isDone ? [some] : [some, repeated]
}

export interface AuditFilter {
  limit: number
  /** Lists the entries after this one, oldest first; without it the newest come first. */
  afterSeq?: number | undefined
  beforeSeq?: number | undefined
  action?: AuditRow['action'] | undefined
  actor?: AuditRow['actor'] | undefined
  actorId?: string | undefined
  as?: string | undefined
  target?: string | undefined
  requestId?: string | undefined
  outcome?: string | undefined
  /** Leaves out what only showed texts. */
  changes?: boolean | undefined
  /** Milliseconds; `since` is included, the second is not. */
  since?: number | undefined
  until?: number | undefined
}

export function listAudit(store: Store, filter: AuditFilter): Promise<AuditRow[]> {
  const { limit, afterSeq, beforeSeq, since, until, changes, ...same } = filter
  const condition = and(
    ...Object.entries(same).map(([name, value]) =>
      value === undefined ? undefined : eq(audit[name as keyof typeof same], value),
    ),
    afterSeq === undefined ? undefined : gt(audit.seq, afterSeq),
    beforeSeq === undefined ? undefined : lt(audit.seq, beforeSeq),
    since === undefined ? undefined : gte(audit.at, since),
    until === undefined ? undefined : lt(audit.at, until),
    changes ? notInArray(audit.action, [...readingActions]) : undefined,
  )
  const order = afterSeq === undefined ? desc(audit.seq) : asc(audit.seq)
  return store.large.select().from(audit).where(condition).orderBy(order).limit(limit)
}

export async function purgeAudit(store: Store, olderThan: number, max: number): Promise<number> {
  const some = sql`seq in (select seq from ${audit} where ${audit.at} < ${olderThan} limit ${max})`
  const { rowsAffected } = await store.db.delete(audit).where(some)
  return rowsAffected
}
