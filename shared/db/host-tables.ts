// A session host's tables: what the network told it. Times are milliseconds since the epoch.

import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { DisconnectReason, Status } from '../contract/instance.ts'
import type { MessageRecord } from '../contract/message.ts'
import type { Outcome } from '../wire/outcome.ts'

/** One row an instance that this host keeps. */
export const sessions = sqliteTable('sessions', {
  instance: text().primaryKey(),
  kind: text({ enum: ['msgnet', 'calls'] }).notNull(),
  epoch: integer().notNull(),
  /** Of the newest SessionState. */
  rev: integer().notNull().default(0),
  /** The caller wants it connected: it is brought back when the host starts. */
  wanted: integer({ mode: 'boolean' }).notNull().default(false),
  /** As last reported: a host that starts again tells only what differs from it. */
  status: text().$type<Status>().notNull().default('disconnected'),
  jid: text().notNull().default(''),
  lid: text().notNull().default(''),
  profileName: text('profile_name').notNull().default(''),
  lastDisconnect: integer('last_disconnect').notNull().default(0),
  lastDisconnectReason: text('last_disconnect_reason').$type<DisconnectReason>().notNull().default(''),
})

/** The device's keys. Values are sealed for the context `credential:<instance>:<kind>:<id>`. */
export const credentials = sqliteTable(
  'credentials',
  {
    instance: text().notNull(),
    /** `creds`, or one of the Signal key kinds. */
    kind: text().notNull(),
    id: text().notNull(),
    value: blob().$type<Uint8Array<ArrayBuffer>>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.instance, table.kind, table.id] })],
)

/** Reports that the edge has not acknowledged yet, in order. */
export const outbox = sqliteTable('outbox', {
  n: integer().primaryKey({ autoIncrement: true }),
  instance: text().notNull(),
  /** A Report without its `n`. */
  report: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
})

/** Acts taken from the edge, kept until the edge has seen their outcome. */
export const journal = sqliteTable('journal', {
  id: text().primaryKey(),
  instance: text().notNull(),
  action: text().notNull(),
  outcome: text({ mode: 'json' }).$type<Outcome>(),
  acceptedAt: integer('accepted_at').notNull(),
})

export const messages = sqliteTable(
  'messages',
  {
    instance: text().notNull(),
    messageid: text().notNull(),
    chatid: text().notNull(),
    at: integer().notNull(),
    fromMe: integer('from_me', { mode: 'boolean' }).notNull(),
    /** Received and not yet marked read. */
    unread: integer({ mode: 'boolean' }).notNull(),
    trackId: text('track_id').notNull().default(''),
    record: text({ mode: 'json' }).$type<MessageRecord>().notNull(),
    /** The network's own form of it, for resends and for what refers to it. */
    wire: blob().$type<Uint8Array<ArrayBuffer>>(),
  },
  (table) => [
    primaryKey({ columns: [table.instance, table.messageid] }),
    index('messages_by_chat').on(table.instance, table.chatid, table.at),
    index('messages_unread').on(table.instance, table.chatid, table.unread),
  ],
)
