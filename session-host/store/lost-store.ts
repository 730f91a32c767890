// Messages that could not be decrypted, and when the phone is asked for them.

import { lostMessages } from '@msgnet/shared/db/gap-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { and, asc, eq, lt } from 'drizzle-orm'
import type { Store } from './host-store.ts'

export type LostRow = typeof lostMessages.$inferSelect

/** The oldest first. */
export const listLost = ({ db }: Store, instance: string): Promise<LostRow[]> =>
  db.select().from(lostMessages).where(eq(lostMessages.instance, instance)).orderBy(asc(lostMessages.at))

export const addLost = ({ db }: Store, row: LostRow): Statement =>
  db.insert(lostMessages).values(row).onConflictDoNothing()

const match = ({ instance, name }: Pick<LostRow, 'instance' | 'name'>) =>
  and(eq(lostMessages.instance, instance), eq(lostMessages.name, name))

export const deleteLost = ({ db }: Store, row: LostRow): Statement =>
  db.delete(lostMessages).where(match(row))

export const deleteLostBefore = ({ db }: Store, instance: string, before: number): Statement =>
  db.delete(lostMessages).where(and(eq(lostMessages.instance, instance), lt(lostMessages.at, before)))

export const markAsked = ({ db }: Store, row: LostRow): Statement =>
  db.update(lostMessages).set({ dueAt: null }).where(match(row))
