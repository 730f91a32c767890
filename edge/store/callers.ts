// Reads an instance by its token and the health of its webhook in one statement.

import { eq, sql } from 'drizzle-orm'
import { instances, subscriptions } from '../../shared/db/edge-tables.ts'
import { prepare } from '../../shared/db/statements.ts'
import type { Store } from './database/database.ts'
import { GIVEN } from './database/statements.ts'
import { type InstanceRow, instanceColumns } from './instances.ts'
import { backlogColumns, type SubscriptionHealth } from './subscriptions.ts'
import { instanceOfToken, isGood } from './token-validity.ts'

export interface CallerAndHealth {
  /** Undefined if the token is not known. */
  instance: InstanceRow | undefined
  subscription: SubscriptionHealth | undefined
}

// Only columns that are shown, because each adds to the cost of the statement. The names of both tables must differ.
const { mode, enabled, gone, lastDeliveredAt, lastFailure } = subscriptions
const columns = { ...instanceColumns, mode, enabled, gone, lastDeliveredAt, lastFailure, ...backlogColumns }
const isSubscribed = eq(subscriptions.instanceId, instances.id)

const ALONE = prepare((db) =>
  db
    .select(columns)
    .from(instances)
    .leftJoin(subscriptions, isSubscribed)
    .where(isGood(instances, sql.placeholder('value')))
    .limit(1),
)
const MANY = prepare((db) =>
  db
    .select({ given: sql`given.value`, ...columns })
    .from(sql`${sql.raw(GIVEN)}`)
    .innerJoin(instances, sql`${instances.id} = ${instanceOfToken(sql`given.value`)}`)
    .leftJoin(subscriptions, isSubscribed),
)

export async function callerAndHealth(store: Store, tokenHash: string): Promise<CallerAndHealth> {
  const bulk = { sql: MANY.sql, item: tokenHash, name: tokenHash }
  const [row] = await store.read(ALONE, { value: tokenHash }, bulk)
  const isThere = row && row.mode !== null
  return { instance: row, subscription: isThere ? (row as typeof row & SubscriptionHealth) : undefined }
}
