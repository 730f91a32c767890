// The global webhook in the database. A change of it and of every copy that instances inherit is one write.

import { and, eq, lte, sql } from 'drizzle-orm'
import { events, serverWebhook, subscriptions } from '../../shared/db/edge-tables.ts'
import type { Statement, Store } from './database.ts'
import { buryStranded, dropCopies, GLOBAL_URL, inheritStatement, whoeverInherits } from './inheritance.ts'
import { changedSecret, firstSecret, type SecretChange } from './secret-change.ts'
import type { Destination } from './subscriptions.ts'

export type ServerWebhookRow = typeof serverWebhook.$inferSelect
/**
 * The couriers of more are not told: they look for themselves after each page of events, and those that sleep are
 * woken by the minute's tick. A courier is an object with a file; all at once they would be too many.
 */
const TOLD_AT_MOST = 1000

type Source = ServerWebhookRow['source']

/** Undefined when nobody ever configured one. */
export async function findServerWebhook(store: Store): Promise<ServerWebhookRow | undefined> {
  const [row] = await store.db.select().from(serverWebhook)
  return row
}

/** Answers the instances whose couriers may be under way. */
export function saveServerWebhook(
  store: Store,
  source: Source,
  destination: Destination,
  secret: SecretChange,
): Promise<string[]> {
  const now = Date.now()
  const chosen = { registered: true, source, ...destination, updatedAt: now }
  const save = store.db
    .insert(serverWebhook)
    .values({ id: 'server', ...chosen, ...firstSecret(secret), createdAt: now })
    .onConflictDoUpdate({
      target: serverWebhook.id,
      set: { ...chosen, ...changedSecret(secret, sql`registered`) },
      setWhere: mayReplace(source),
    })
  return spread(store, save, now)
}

/** Answers the instances whose couriers may be under way. */
export function clearServerWebhook(store: Store, source: Source): Promise<string[]> {
  const now = Date.now()
  const none = {
    ...{ registered: false, source, url: '', events: [], ignoredEvents: [], excludeMessages: null },
    ...{ enabled: false, secret: null, previousSecret: null, previousSecretUntil: 0, updatedAt: now },
  }
  const clear = store.db
    .insert(serverWebhook)
    .values({ id: 'server', ...none, createdAt: now })
    .onConflictDoUpdate({ target: serverWebhook.id, set: none, setWhere: mayReplace(source) })
  return spread(store, clear, now)
}

/** What was saved through the API, a deletion too, is not replaced by the environment. */
const mayReplace = (source: Source) =>
  source === 'environment' ? sql`${serverWebhook.source} = 'environment'` : sql`true`

async function spread(store: Store, change: Statement, now: number): Promise<string[]> {
  const busy = store.db
    .selectDistinct({ instanceId: events.instanceId })
    .from(events)
    .innerJoin(subscriptions, eq(subscriptions.instanceId, events.instanceId))
    .where(
      and(eq(subscriptions.mode, 'inherited'), eq(events.status, 'pending'), lte(events.nextAttemptAt, now)),
    )
    .limit(TOLD_AT_MOST)
  const [concerned] = await store.write([
    busy,
    change,
    buryStranded(whoeverInherits, now, GLOBAL_URL),
    inheritStatement(whoeverInherits, now),
    dropCopies(whoeverInherits),
  ])
  return (concerned?.rows ?? []).map((row) => String(row.instance_id))
}
