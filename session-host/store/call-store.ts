// The last calls of an instance, each with its newest state.

import type { CallRecord } from '@msgnet/shared/contract/responses/call-responses.ts'
import { calls } from '@msgnet/shared/db/host-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { and, desc, eq, sql } from 'drizzle-orm'
import type { Store } from './host-store.ts'

const MAX_CALLS = 50

export type CallRow = typeof calls.$inferSelect

export async function findCall(store: Store, instance: string, callid: string): Promise<CallRow | undefined> {
  const [row] = await store.db
    .select()
    .from(calls)
    .where(and(eq(calls.instance, instance), eq(calls.callid, callid)))
  return row
}

/** Newest first; the network gives seconds, so within one second the row that was stored later is newer. */
export async function listCalls(store: Store, instance: string): Promise<CallRecord[]> {
  const rows = await store.db
    .select({ record: calls.record })
    .from(calls)
    .where(eq(calls.instance, instance))
    .orderBy(desc(calls.at), desc(sql`rowid`))
    .limit(MAX_CALLS)
  return rows.map(({ record }) => record)
}

export const storeCall = (store: Store, row: CallRow): Statement[] => [
  store.db
    .insert(calls)
    .values(row)
    .onConflictDoUpdate({ target: [calls.instance, calls.callid], set: { record: row.record } }),
  store.db
    .delete(calls)
    .where(
      sql`${calls.instance} = ${row.instance} and ${calls.callid} not in (select callid from calls where instance = ${row.instance} order by at desc, rowid desc limit ${MAX_CALLS})`,
    ),
]
