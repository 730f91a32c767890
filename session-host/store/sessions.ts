// Rows of sessions, and everything else that a host keeps of an instance.

import { and, eq, sql } from 'drizzle-orm'
import {
  blocked,
  calls,
  chatLabels,
  chatSettings,
  chats,
  contacts,
  credentials,
  groups,
  journal,
  labels,
  limits,
  messages,
  sessions,
  unawaited,
  undecryptable,
} from '../../shared/db/host-tables.ts'
import type { Statement } from '../../shared/db/statements.ts'
import type { Assignment } from '../../shared/wire/frames.ts'
import { unknown } from '../../shared/wire/outcome.ts'
import type { FencedStore } from './fencing.ts'
import { type Store, statement } from './store.ts'

export type SessionRow = typeof sessions.$inferSelect

/** Those that this host held when it was last heard. */
export const heldSessions = ({ db, holder }: FencedStore): Promise<SessionRow[]> =>
  db.select().from(sessions).where(eq(sessions.holder, holder))

export async function findSession({ db }: Store, instance: string): Promise<SessionRow | undefined> {
  const [row] = await db.select().from(sessions).where(eq(sessions.instance, instance))
  return row
}

export const keepSession = (store: Store, row: SessionRow): Statement =>
  store.db.insert(sessions).values(row).onConflictDoUpdate({ target: sessions.instance, set: row })

/** Newer rows of the outbox stand behind what the new holder has sent already, so that none is passed over. */
const RENUMBER = `INSERT INTO outbox (holder, instance, report)
  SELECT ?, instance, json_set(report, '$.epoch', ?) FROM outbox WHERE instance = ? ORDER BY n`
const DROP_OLD = `DELETE FROM outbox WHERE instance = ? AND json_extract(report, '$.epoch') < ?`

/** Answers the row as it is now that the assignment is ours; undefined when a newer one is another host's. */
export async function claimSession(
  store: FencedStore,
  { instance, epoch, kind, jid }: Assignment,
): Promise<SessionRow | undefined> {
  const { db, holder } = store
  const lost = jid ? ({ jid, status: 'connecting' } as const) : {}
  const row = { instance, kind, epoch, holder, ...lost }
  const stopped = JSON.stringify(unknown('the session host stopped while this was running'))
  const mine = await store.claim(instance, epoch, [
    db.insert(sessions).values(row).onConflictDoUpdate({ target: sessions.instance, set: { epoch, holder } }),
    // What the one before had to report is reported under the new assignment: under its own it would be refused.
    statement(RENUMBER, holder, epoch, instance),
    statement(DROP_OLD, instance, epoch),
    db
      .update(journal)
      .set({ holder, outcome: sql`coalesce(${journal.outcome}, ${stopped})` })
      .where(eq(journal.instance, instance)),
  ])
  return mine ? findSession(store, instance) : undefined
}

/**
 * Of the journal that stays whose outcome still has to be told; it goes when the edge has seen it. But for `events`: what the
 * network has told only this host of stays until the edge has it.
 */
export function forgetInstance(store: Store, instance: string, but?: 'events'): Statement[] {
  const known = and(eq(journal.instance, instance), eq(journal.seen, true))
  const own = [sessions, credentials, messages, chats, undecryptable, groups, calls]
  const all = [...own, chatSettings, blocked, contacts, labels, chatLabels, limits, unawaited].map((table) =>
    store.db.delete(table).where(eq(table.instance, instance)),
  )
  const untold = but === 'events' ? FORGET_STATES : FORGET_REPORTS
  return [...all, statement(untold, instance), store.db.delete(journal).where(known)]
}

const FORGET_REPORTS = 'DELETE FROM outbox WHERE instance = ?'
/** How its session was, here, is of no interest any more, and would be taken for news if the instance came back. */
const FORGET_STATES = `${FORGET_REPORTS}
  AND (json_extract(report, '$.t') = 'state' OR json_extract(report, '$.type') = 'connection')`
