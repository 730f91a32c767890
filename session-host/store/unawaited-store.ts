// The stored unawaited sends, by their messages.

import { and, eq } from 'drizzle-orm'
import { unawaited } from '../../shared/db/host-tables.ts'
import type { Statement } from '../../shared/db/prepared-queries.ts'
import type { Store } from './host-store.ts'

const matchSend = (instance: string, messageid: string) =>
  and(eq(unawaited.instance, instance), eq(unawaited.messageid, messageid))

export const storeUnawaited = ({ db }: Store, instance: string, messageid: string): Statement =>
  db.insert(unawaited).values({ instance, messageid }).onConflictDoNothing()

export const markUnawaitedReported = ({ db }: Store, instance: string, messageid: string): Statement =>
  db.update(unawaited).set({ unknownReported: true }).where(matchSend(instance, messageid))

export const deleteUnawaited = ({ db }: Store, instance: string, messageid: string): Statement =>
  db.delete(unawaited).where(matchSend(instance, messageid))

export const listUnawaited = ({ db }: Store, instance: string) =>
  db.select().from(unawaited).where(eq(unawaited.instance, instance))
