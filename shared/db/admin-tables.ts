// The edge's tables for admin tokens and for the audit log. Times are milliseconds since the epoch.

import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Scope } from '../contract/admin-scope.ts'
import type { ActorKind, AuditAction } from '../contract/audit-actions.ts'

/** Admin tokens in addition to the one of the environment. */
export const adminTokens = sqliteTable('admin_tokens', {
  id: text().primaryKey(),
  name: text().notNull(),
  scope: text().$type<Scope>().notNull(),
  tokenHash: text('token_hash').notNull().unique(),
  /** The token before the last renewal, which is valid until `previousTokenUntil`. */
  previousTokenHash: text('previous_token_hash').unique(),
  previousTokenUntil: integer('previous_token_until').notNull().default(0),
  /** 0 for never. */
  expiresAt: integer('expires_at').notNull().default(0),
  createdAt: integer('created_at').notNull(),
  renewedAt: integer('renewed_at').notNull().default(0),
})

/** What was done or refused, and by whom. A trigger refuses changes of rows; only old ones are deleted. */
export const audit = sqliteTable(
  'audit',
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    at: integer().notNull(),
    action: text().$type<AuditAction>().notNull(),
    actor: text().$type<ActorKind>().notNull(),
    /** Id of the token or the instance; empty for the token of the environment. */
    actorId: text('actor_id').notNull(),
    actorName: text('actor_name').notNull(),
    /** Id of the instance that an admin token acted for; else empty. */
    as: text('acting_for').notNull().default(''),
    /** The id of the changed thing; empty if there is only one of its kind. */
    target: text().notNull(),
    address: text().notNull(),
    requestId: text('request_id').notNull(),
    /** `done`, or the error code of the answer. */
    outcome: text().notNull(),
  },
  (table) => [
    index('audit_by_age').on(table.at),
    index('audit_by_target').on(table.target, table.seq),
    index('audit_by_actor').on(table.actorId, table.seq),
    index('audit_by_use').on(table.as, table.action, table.at).where(sql`acting_for <> ''`),
  ],
)
