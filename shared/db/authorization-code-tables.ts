// The edge's table of authorization codes. Times are milliseconds since the epoch.

import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { TokenScope } from '../contract/scoped-token.ts'
import { instances } from './edge-tables.ts'

/** What a person has allowed a client, until the client fetches its token with the code. Only the digests are stored. */
export const authorizationCodes = sqliteTable(
  'authorization_codes',
  {
    codeHash: text('code_hash').primaryKey(),
    instanceId: text('instance_id')
      .notNull()
      .references(() => instances.id, { onDelete: 'cascade' }),
    /** Of the client's id, which may be long. */
    clientHash: text('client_hash').notNull(),
    clientName: text('client_name').notNull(),
    redirectUri: text('redirect_uri').notNull(),
    resource: text().notNull(),
    /** SHA-256 of the verifier in base64url (PKCE). */
    challenge: text().notNull(),
    scope: text().$type<TokenScope>().notNull(),
    /** As that of a scoped token; null for all. */
    chats: text({ mode: 'json' }).$type<string[]>(),
    /** Of the token, in seconds. */
    lifetime: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    /** The scoped token that the code was used for; empty before. */
    tokenId: text('token_id').notNull().default(''),
  },
  (table) => [
    index('authorization_codes_by_instance').on(table.instanceId),
    index('authorization_codes_by_expiry').on(table.expiresAt),
  ],
)
