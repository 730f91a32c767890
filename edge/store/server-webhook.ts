// Queries for the global webhook. It changes in one write with every copy that instances inherit.

import { sql } from 'drizzle-orm'
import { serverWebhook } from '../../shared/db/edge-tables.ts'
import type { Statement } from '../../shared/db/statements.ts'
import type { Store } from './database/database.ts'
import { dropCopies, GLOBAL_URL, inheritStatement, markStrandedDead, whoeverInherits } from './inheritance.ts'
import { changedSecret, firstSecret, keepsSecrets, type SecretChange } from './secret-change.ts'
import { asGiven, type Destination, sameDestination } from './subscriptions.ts'

export type ServerWebhookRow = typeof serverWebhook.$inferSelect

type Source = ServerWebhookRow['source']

/** Undefined if none was ever configured. */
export async function findServerWebhook(store: Store): Promise<ServerWebhookRow | undefined> {
  const [row] = await store.db.select().from(serverWebhook)
  return row
}

/** `also` directly follows the change. What is so already is not written. */
export function saveServerWebhook(
  store: Store,
  source: Source,
  destination: Destination,
  secret: SecretChange,
  also: Statement[] = [],
): Promise<void> {
  const now = Date.now()
  const chosen = { registered: true, source, ...asGiven, ...destination, updatedAt: now }
  const save = store.db
    .insert(serverWebhook)
    .values({ id: 'server', ...chosen, ...firstSecret(secret), createdAt: now })
    .onConflictDoUpdate({
      target: serverWebhook.id,
      set: { ...chosen, ...changedSecret(secret, sql`registered`) },
      setWhere: sql`${mayReplace(source)} and not (registered and source = excluded.source and ${sameDestination} and ${keepsSecrets(secret)})`,
    })
  return spread(store, save, now, also)
}

export function clearServerWebhook(store: Store, source: Source, also: Statement[] = []): Promise<void> {
  const now = Date.now()
  const none = {
    ...{ registered: false, source, url: '', events: [], ignoredEvents: [], excludeMessages: null },
    ...{
      enabled: false,
      ...asGiven,
      secret: null,
      previousSecret: null,
      previousSecretUntil: 0,
      updatedAt: now,
    },
  }
  const clear = store.db
    .insert(serverWebhook)
    .values({ id: 'server', ...none, createdAt: now })
    .onConflictDoUpdate({
      target: serverWebhook.id,
      set: none,
      setWhere: sql`${mayReplace(source)} and (registered or source <> excluded.source)`,
    })
  return spread(store, clear, now, also)
}

/** The environment does not replace a webhook that was saved or deleted through the API. */
const mayReplace = (source: Source) =>
  source === 'environment' ? sql`${serverWebhook.source} = 'environment'` : sql`true`

async function spread(store: Store, change: Statement, now: number, also: Statement[]): Promise<void> {
  await store.write([
    change,
    ...also,
    markStrandedDead(whoeverInherits, now, GLOBAL_URL),
    inheritStatement(whoeverInherits, now),
    dropCopies(whoeverInherits),
  ])
}
