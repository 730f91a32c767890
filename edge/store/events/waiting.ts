// Counts waiting events and their age by kind of instance, for the metrics.

import { sql } from 'drizzle-orm'
import { instances } from '../../../shared/db/edge-tables.ts'
import { prepare } from '../../../shared/db/statements.ts'
import type { Store } from '../database/database.ts'

export interface Waiting {
  kind: string
  events: number
  /** Age of the oldest waiting event, in seconds. */
  age: number
}

/** The most rows that are counted: metrics are read every few seconds and must not scan a backlog of millions. */
const COUNTED = 100_000

const waiting = prepare((db) =>
  db
    .select({
      kind: instances.kind,
      events: sql<number>`count(queue.instance_id)`,
      oldest: sql<number | null>`min(queue.created_at)`,
    })
    .from(instances)
    .leftJoin(
      sql.raw(
        `(select instance_id, created_at from events where status = 'pending' limit ${COUNTED}) as queue`,
      ),
      sql`queue.instance_id = ${instances.id}`,
    )
    .groupBy(instances.kind),
)

export async function waitingByKind(store: Store): Promise<Waiting[]> {
  const now = Date.now()
  return (await store.read(waiting, {})).map(({ kind, events, oldest }) => ({
    ...{ kind, events },
    age: oldest === null ? 0 : Math.max(0, (now - oldest) / 1000),
  }))
}
