// Rows of sessions, and everything else that a host keeps of an instance.

import { eq } from 'drizzle-orm'
import {
  calls,
  chats,
  credentials,
  groups,
  messages,
  outbox,
  sessions,
  unreadable,
} from '../../shared/db/host-tables.ts'
import type { Statement, Store } from './store.ts'

export type SessionRow = typeof sessions.$inferSelect

export const allSessions = (store: Store): Promise<SessionRow[]> => store.read.select().from(sessions)

export const keepSession = (store: Store, row: SessionRow): Statement =>
  store.read.insert(sessions).values(row).onConflictDoUpdate({ target: sessions.instance, set: row })

/** The journal stays: what the edge asks after, it still has to be told. */
export function forgetInstance(store: Store, instance: string): Statement[] {
  return [sessions, credentials, messages, outbox, chats, unreadable, groups, calls].map((table) =>
    store.read.delete(table).where(eq(table.instance, instance)),
  )
}
