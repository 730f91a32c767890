// The stored unawaited sends, by their messages.

import { unawaited } from '@msgnet/shared/db/host-tables.ts'
import { prepareQuery, type Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { Store } from './host-store.ts'

const value = sql.placeholder
const INSERT = prepareQuery((db) =>
  db
    .insert(unawaited)
    .values({ instance: value('instance'), messageid: value('messageid'), hasLeft: value('hasLeft') })
    .onConflictDoNothing(),
)

const matchSend = (instance: string, messageid: string) =>
  and(eq(unawaited.instance, instance), eq(unawaited.messageid, messageid))

export const storeUnawaited = (instance: string, messageid: string, hasLeft: boolean) =>
  INSERT.bind({ instance, messageid, hasLeft })

export const markUnawaitedLeft = ({ db }: Store, instance: string, messageid: string): Statement =>
  db.update(unawaited).set({ hasLeft: true }).where(matchSend(instance, messageid))

export const markUnawaitedReported = ({ db }: Store, instance: string, messageid: string): Statement =>
  db.update(unawaited).set({ unknownReported: true }).where(matchSend(instance, messageid))

export const deleteUnawaited = ({ db }: Store, instance: string, messageid: string): Statement =>
  db.delete(unawaited).where(matchSend(instance, messageid))

export const listUnawaited = ({ db }: Store, instance: string) =>
  db.select().from(unawaited).where(eq(unawaited.instance, instance))
