// The edge's tables of who may administer, and of what was administered. Times are milliseconds since the epoch.

import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Scope } from '../api/scope.ts'
import type { ActorKind, AuditAction } from '../contract/audit.ts'

/** Admin tokens beside the one of the environment. */
export const adminTokens = sqliteTable('admin_tokens', {
  id: text().primaryKey(),
  name: text().notNull(),
  scope: text().$type<Scope>().notNull(),
  tokenHash: text('token_hash').notNull().unique(),
  /** The value before the last renewal: it is good too until then. */
  previousTokenHash: text('previous_token_hash').unique(),
  previousTokenUntil: integer('previous_token_until').notNull().default(0),
  /** 0 for never. */
  expiresAt: integer('expires_at').notNull().default(0),
  createdAt: integer('created_at').notNull(),
  renewedAt: integer('renewed_at').notNull().default(0),
})

/** What was done or refused, and to whom it is owed. Rows are never changed (a trigger), and leave with their age only. */
export const audit = sqliteTable(
  'audit',
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    at: integer().notNull(),
    action: text().$type<AuditAction>().notNull(),
    actor: text().$type<ActorKind>().notNull(),
    /** Of the token or the instance; empty for the token of the environment. */
    actorId: text('actor_id').notNull(),
    actorName: text('actor_name').notNull(),
    /** The id of what it was done to; empty where there is but one. */
    target: text().notNull(),
    address: text().notNull(),
    requestId: text('request_id').notNull(),
    /** `done`, or the code that the caller was answered. */
    outcome: text().notNull(),
  },
  (table) => [
    index('audit_by_age').on(table.at),
    index('audit_by_target').on(table.target, table.seq),
    index('audit_by_actor').on(table.actorId, table.seq),
  ],
)
