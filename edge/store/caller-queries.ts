// Reads an instance by its token and the health of its webhook in one statement.

import { instances, webhooks } from '@msgnet/shared/db/edge-tables.ts'
import { prepareQuery } from '@msgnet/shared/db/prepared-queries.ts'
import { and, eq, sql } from 'drizzle-orm'
import { GIVEN } from '../runtime/query-types.ts'
import type { Store } from './database/open-store.ts'
import { instanceColumns } from './instance-queries.ts'
import { matchesToken, selectInstanceByToken } from './token-validity.ts'
import { backlogColumns, type WebhookHealthRow } from './webhook-queries.ts'

// Only columns that are shown, because each adds to the cost of the statement. The names of both tables must differ.
const { mode, enabled, gone, lastDeliveredAt, failingSince, lastFailure } = webhooks
const health = { mode, enabled, gone, lastDeliveredAt, failingSince, lastFailure, ...backlogColumns }
const columns = { ...instanceColumns, ...health }
const isFirst = and(eq(webhooks.instanceId, instances.id), sql`${webhooks.position} = 0`)

const ALONE = prepareQuery((db) =>
  db
    .select(columns)
    .from(instances)
    .leftJoin(webhooks, isFirst)
    .where(matchesToken('instances', sql.placeholder('value')))
    .limit(1),
)
const MANY = prepareQuery((db) =>
  db
    .select({ given: sql`given.value`, ...columns })
    .from(sql`${sql.raw(GIVEN)}`)
    .innerJoin(instances, sql`${instances.id} = ${selectInstanceByToken(sql`given.value`)}`)
    .leftJoin(webhooks, isFirst),
)

/** `instance` is undefined if the token is not known. */
export async function findCallerAndHealth(store: Store, tokenHash: string) {
  const bulk = { sql: MANY.sql, item: tokenHash, name: tokenHash }
  const [row] = await store.read(ALONE, { value: tokenHash }, bulk)
  const isThere = row && row.mode !== null && row.mode !== 'none'
  return { instance: row, webhook: isThere ? (row as typeof row & WebhookHealthRow) : undefined }
}
