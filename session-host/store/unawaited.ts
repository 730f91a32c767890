// The stored unawaited sends, by their messages.

import { and, eq } from 'drizzle-orm'
import { unawaited } from '../../shared/db/host-tables.ts'
import type { Statement } from '../../shared/db/statements.ts'
import type { Store } from './store.ts'

const one = (instance: string, messageid: string) =>
  and(eq(unawaited.instance, instance), eq(unawaited.messageid, messageid))

export const keepUnawaited = ({ db }: Store, instance: string, messageid: string): Statement =>
  db.insert(unawaited).values({ instance, messageid }).onConflictDoNothing()

export const markUnawaitedReported = ({ db }: Store, instance: string, messageid: string): Statement =>
  db.update(unawaited).set({ told: true }).where(one(instance, messageid))

export const forgetUnawaited = ({ db }: Store, instance: string, messageid: string): Statement =>
  db.delete(unawaited).where(one(instance, messageid))

export const listUnawaited = ({ db }: Store, instance: string) =>
  db.select().from(unawaited).where(eq(unawaited.instance, instance))
