// An instance by its token, together with its subscription: one statement where both will be read anyway.

import { eq, getTableColumns, sql } from 'drizzle-orm'
import { instances, subscriptions } from '../../shared/db/edge-tables.ts'
import { prepare } from '../../shared/db/statements.ts'
import { GIVEN } from './database/bulk.ts'
import { rowsOf, type Store, withBulk } from './database/database.ts'
import type { Result } from './database/pipeline.ts'
import { BY_TOKEN, type InstanceRow, instanceColumns } from './instances.ts'
import { backlogColumns, type Subscribed, subscribedOf } from './subscriptions.ts'
import { instanceOfToken, isGood } from './token-validity.ts'

export interface CallerAndSubscription {
  /** Undefined when the token is nobody's. */
  instance: InstanceRow | undefined
  subscription: Subscribed | undefined
}

const instanceWidth = Object.keys(instanceColumns).length
const subscriptionColumns = { ...getTableColumns(subscriptions), ...backlogColumns }
/** Those of the instance and behind them those of the subscription, whose names must be others. */
const columns = {
  ...instanceColumns,
  ...Object.fromEntries(
    Object.entries(subscriptionColumns).map(([name, column]) => [`subscription ${name}`, column]),
  ),
}
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

export async function callerAndSubscription(store: Store, tokenHash: string): Promise<CallerAndSubscription> {
  const bulk = { sql: MANY.sql, item: tokenHash, name: tokenHash }
  const [found] = await store.ask(withBulk(ALONE.statement({ value: tokenHash }), bulk))
  if (!found) return { instance: undefined, subscription: undefined }
  const part = (rows: unknown[][]): Result => ({ ...found, rows })
  const subscribed = found.rows.map((row) => row.slice(instanceWidth)).filter(([id]) => id !== null)
  return {
    instance: rowsOf(BY_TOKEN, part(found.rows.map((row) => row.slice(0, instanceWidth))))[0],
    subscription: subscribedOf(part(subscribed)),
  }
}
