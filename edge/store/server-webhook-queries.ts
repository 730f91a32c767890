// Queries for the global webhook. A change of it is followed by the copies that instances inherit.

import { serverWebhook } from '@msgnet/shared/db/edge-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { sql } from 'drizzle-orm'
import type { Store } from './database/open-store.ts'
import {
  buildFirstSecret,
  buildSecretColumns,
  hasSameOrigin,
  keepsSecrets,
  type SecretChange,
} from './secret-change.ts'
import { updateCopies } from './webhook-inheritance.ts'
import { type Destination, noDestination, plainUrl, sameDestination } from './webhook-queries.ts'

export type ServerWebhookRow = typeof serverWebhook.$inferSelect

type Source = ServerWebhookRow['source']

type ServerDestination = Destination & Partial<Pick<ServerWebhookRow, 'getsWebhookEvents'>>

/** Undefined if none was ever configured. */
export async function findServerWebhook(store: Store): Promise<ServerWebhookRow | undefined> {
  const [row] = await store.db.select().from(serverWebhook)
  return row
}

/** `also` directly follows the change. What is so already is not written. */
export async function saveServerWebhook(
  store: Store,
  source: Source,
  destination: ServerDestination,
  secret: SecretChange,
  also: Statement[] = [],
): Promise<void> {
  const now = Date.now()
  const chosen = {
    registered: true,
    source,
    format: '' as const,
    ...plainUrl,
    getsWebhookEvents: false,
    ...destination,
    updatedAt: now,
  }
  const save = store.db
    .insert(serverWebhook)
    .values({ id: 'server', ...chosen, ...buildFirstSecret(secret), createdAt: now })
    .onConflictDoUpdate({
      target: serverWebhook.id,
      set: {
        ...chosen,
        ...buildSecretColumns(secret, sql`registered and ${hasSameOrigin(destination.url)}`),
      },
      setWhere: sql`${mayReplace(source)} and not (registered and source = excluded.source and ${sameDestination}
          and gets_webhook_events = excluded.gets_webhook_events and ${keepsSecrets(secret)})`,
    })
  await store.write([save, ...also])
  await updateCopies(store, { revives: true })
}

export async function clearServerWebhook(
  store: Store,
  source: Source,
  also: Statement[] = [],
): Promise<void> {
  const now = Date.now()
  const none = { registered: false, source, ...noDestination, getsWebhookEvents: false, updatedAt: now }
  const clear = store.db
    .insert(serverWebhook)
    .values({ id: 'server', ...none, createdAt: now })
    .onConflictDoUpdate({
      target: serverWebhook.id,
      set: none,
      setWhere: sql`${mayReplace(source)} and (registered or source <> excluded.source)`,
    })
  await store.write([clear, ...also])
  await updateCopies(store, { revives: true })
}

/** The environment does not replace a webhook that was saved or deleted through the API. */
const mayReplace = (source: Source) =>
  source === 'environment' ? sql`${serverWebhook.source} = 'environment'` : sql`true`
