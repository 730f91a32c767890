// The edge's table of scoped tokens. Times are milliseconds since the epoch.

import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { TokenScope } from '../contract/scoped-token.ts'
import { instances } from './edge-tables.ts'

/** Further tokens of an instance, each with a scope. Only the digests are stored. */
export const scopedTokens = sqliteTable(
  'scoped_tokens',
  {
    id: text().primaryKey(),
    instanceId: text('instance_id')
      .notNull()
      .references(() => instances.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    scope: text().$type<TokenScope>().notNull(),
    /** Ids of chats, `groups` or `people`; null for all. */
    chats: text({ mode: 'json' }).$type<string[]>(),
    tokenHash: text('token_hash').notNull().unique(),
    createdAt: integer('created_at').notNull(),
    /** 0 for never. */
    expiresAt: integer('expires_at').notNull().default(0),
    /** To the minute; 0 for never. */
    lastUsedAt: integer('last_used_at').notNull().default(0),
  },
  (table) => [index('scoped_tokens_by_instance').on(table.instanceId, table.createdAt)],
)
