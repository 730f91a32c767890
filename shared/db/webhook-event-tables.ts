// The edge's table of what the operator is told of the webhooks of instances. Times are milliseconds since the epoch.

import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { WebhookEnvelope } from '../contract/change-envelopes.ts'
import { instances } from './edge-tables.ts'

/** Each row is an event `webhook`. */
export const webhookEvents = sqliteTable(
  'webhook_events',
  {
    id: text().primaryKey(),
    instanceId: text('instance_id')
      .notNull()
      .references(() => instances.id, { onDelete: 'cascade' }),
    webhookId: text('webhook_id').notNull().default(''),
    at: integer().notNull(),
    /** As it is posted, at every attempt. */
    envelope: text({ mode: 'json' }).$type<WebhookEnvelope>().notNull(),
    attempts: integer().notNull().default(0),
    /** Null once nothing more is sent. */
    nextAttemptAt: integer('next_attempt_at'),
    /** It is the newest of its webhook, and tells of trouble that is not over. */
    isOpen: integer('is_open', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [
    index('webhook_events_by_age').on(table.at),
    index('webhook_events_of_instances').on(table.instanceId),
    index('webhook_events_due').on(table.nextAttemptAt).where(sql`next_attempt_at is not null`),
    // Those that later ones of the same webhook wait for.
    index('webhook_events_in_order').on(table.webhookId).where(sql`next_attempt_at is not null`),
    index('webhook_events_open').on(table.webhookId).where(sql`is_open`),
  ],
)
