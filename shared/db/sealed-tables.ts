// The edge's tables with one sealed value a row: proxies, tokens of instances, responses of Idempotency-Keys, late outcomes.

import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The proxies of instances that have one. */
export const proxies = sqliteTable('proxies', {
  instanceId: text('instance_id').primaryKey(),
  enabled: integer({ mode: 'boolean' }).notNull(),
  /** Sealed for the context `proxy:<instance id>`: it may hold a password. */
  url: blob().$type<Uint8Array<ArrayBuffer>>().notNull(),
})

/** Tokens of instances, for callers that read them from the list. Only while the operator has chosen the words of the API family. */
export const instanceTokens = sqliteTable('instance_tokens', {
  instanceId: text('instance_id').primaryKey(),
  /** Sealed for the context `instance-token:<instance id>`. */
  token: blob().$type<Uint8Array<ArrayBuffer>>().notNull(),
})

/** Idempotency keys and their stored responses. `scope` is `admin`, `token:<id of an admin token>` or the id of an instance; for an admin that acts for an instance it is that id and the scope of the admin. */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    scope: text().notNull(),
    key: text().notNull(),
    /** SHA-256 over method, path and raw body. */
    fingerprint: text().notNull(),
    /** `dispatched`: claimed, and the effect may have happened (edge/idempotency/README.md). `answered`: `response` is stored. */
    state: text({ enum: ['dispatched', 'answered'] }).notNull(),
    /** The act of the request, and the messageid if it has one. */
    actId: text('act_id').notNull().default(''),
    messageid: text().notNull().default(''),
    /** The assignment that the act was sent under, and the process of its host; '' for a claim of a version before. */
    epoch: integer().notNull().default(0),
    hostBoot: text('host_boot').notNull().default(''),
    status: integer().notNull().default(0),
    /** The body's bytes, sealed for the context `replay:<scope>:<key>`. */
    response: blob().$type<Uint8Array<ArrayBuffer>>(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.scope, table.key] }),
    index('idempotency_keys_by_expiry').on(table.expiresAt),
  ],
)

/** Late outcomes by the id of the act, retained for a day. */
export const lateOutcomes = sqliteTable(
  'late_outcomes',
  {
    act: text().primaryKey(),
    /** An outcome as JSON, sealed for the context `late:<act>`: a sent message's text is in it. */
    outcome: blob().$type<Uint8Array<ArrayBuffer>>().notNull(),
    /** The instance of the act: the outcome is deleted with it. */
    instanceId: text('instance_id').notNull(),
    at: integer().notNull(),
  },
  (table) => [index('late_outcomes_by_instance').on(table.instanceId)],
)
