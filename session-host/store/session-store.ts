// Rows of sessions, and the deletion of everything that a host stores of an instance.

import { gaps, lateMessages, lostMessages } from '@msgnet/shared/db/gap-tables.ts'
import {
  calls,
  chats,
  credentials,
  earlyChanges,
  groups,
  journal,
  limits,
  messages,
  presenceSubscriptions,
  scheduled,
  scheduledFiles,
  sessions,
  unawaited,
  undecryptable,
} from '@msgnet/shared/db/host-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import {
  blocked,
  chatLabels,
  chatSettings,
  contacts,
  knownNames,
  labels,
  usernames,
} from '@msgnet/shared/db/setting-tables.ts'
import type { Assignment } from '@msgnet/shared/wire/link-frames.ts'
import { and, eq, sql } from 'drizzle-orm'
import { addInterruptedSends, interruptedOutcome } from './act-journal.ts'
import { deleteTornImport } from './credential-store.ts'
import type { FencedStore } from './fenced-store.ts'
import { deleteHeldOfInstance, moveHeldOfInstance } from './held-report-store.ts'
import { type Store, statement } from './host-store.ts'
import { endMediaOfInstance } from './media-rows.ts'

export type SessionRow = typeof sessions.$inferSelect

/** The sessions that this host held when it last ran. */
export const listHeldSessions = ({ db, holder }: FencedStore): Promise<SessionRow[]> =>
  db.select().from(sessions).where(eq(sessions.holder, holder))

export async function findSession({ db }: Store, instance: string): Promise<SessionRow | undefined> {
  const [row] = await db.select().from(sessions).where(eq(sessions.instance, instance))
  return row
}

export const storeSession = (store: Store, row: SessionRow): Statement =>
  store.db.insert(sessions).values(row).onConflictDoUpdate({ target: sessions.instance, set: row })

export const storeOnline = ({ db }: Store, instance: string, online: boolean): Statement =>
  db.update(sessions).set({ online }).where(eq(sessions.instance, instance))

/** Copies the reports behind those that the new holder has sent already, so that none is skipped. */
const RENUMBER = `INSERT INTO outbox (holder, instance, report)
  SELECT ?, instance, json_set(report, '$.epoch', ?) FROM outbox WHERE instance = ? ORDER BY n`
const DROP_OLD = `DELETE FROM outbox WHERE instance = ? AND json_extract(report, '$.epoch') < ?`

/** Takes the instance over. Returns its row, or undefined if another host has a newer assignment. */
export async function claimSession(
  store: FencedStore,
  { instance, epoch, kind, jid }: Assignment,
): Promise<SessionRow | undefined> {
  const { db, holder } = store
  const missing = jid ? ({ jid, status: 'connecting' } as const) : {}
  const row = { instance, kind, epoch, holder, ...missing }
  const claimed = await store.claimInstance(instance, epoch, [
    db.insert(sessions).values(row).onConflictDoUpdate({ target: sessions.instance, set: { epoch, holder } }),
    ...moveHeldOfInstance(instance),
    // Of an import that the previous holder could not end.
    deleteTornImport(instance),
    // The previous holder's reports get the new epoch: with the old one the edge would refuse them.
    statement(RENUMBER, holder, epoch, instance),
    statement(DROP_OLD, instance, epoch),
    addInterruptedSends('instance', instance),
    db
      .update(journal)
      .set({ holder, outcome: sql`coalesce(${journal.outcome}, ${interruptedOutcome})` })
      .where(eq(journal.instance, instance)),
  ])
  return claimed ? findSession(store, instance) : undefined
}

/**
 * Journal rows stay until the edge has seen their outcome. With `events`, the events in the outbox
 * stay until the edge has confirmed them: only this host has them.
 */
export function deleteInstance(store: Store, instance: string, keep?: 'events'): Statement[] {
  const known = and(eq(journal.instance, instance), eq(journal.seen, true))
  const own = [
    sessions,
    credentials,
    messages,
    chats,
    undecryptable,
    earlyChanges,
    gaps,
    lateMessages,
    lostMessages,
    groups,
    calls,
    presenceSubscriptions,
  ]
  const settings = [chatSettings, blocked, contacts, knownNames, usernames, labels, chatLabels]
  const sends = [unawaited, scheduled, scheduledFiles]
  const all = [...own, ...settings, ...sends, limits].map((table) =>
    store.db.delete(table).where(eq(table.instance, instance)),
  )
  const reports = keep === 'events' ? DELETE_STATES : DELETE_REPORTS
  return [
    ...all,
    endMediaOfInstance(instance),
    deleteHeldOfInstance(instance),
    statement(reports, instance),
    store.db.delete(journal).where(known),
  ]
}

const DELETE_REPORTS = 'DELETE FROM outbox WHERE instance = ?'
/** The session's states are obsolete, and would be taken for new ones if the instance came back. */
const DELETE_STATES = `${DELETE_REPORTS}
  AND (json_extract(report, '$.t') = 'state' OR json_extract(report, '$.type') = 'connection')`
