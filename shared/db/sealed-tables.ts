// The edge's tables with one sealed value a row: proxies, tokens of instances, late outcomes.

import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

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
