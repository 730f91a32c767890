// A session host's tables of what is missing: gaps between two devices of an account, and messages that could not be decrypted.

import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { gapStates } from '../contract/coverage.ts'

/** The times of which no device of an instance has had the messages from the network. */
export const gaps = sqliteTable(
  'gaps',
  {
    instance: text().notNull(),
    from: integer('from_at').notNull(),
    /** The login that ended it. */
    to: integer('to_at').notNull(),
    state: text({ enum: gapStates }).notNull().default('open'),
    /** The messages of it that have come. */
    recovered: integer().notNull().default(0),
    /** The time of the oldest message of the histories that may fill it; null before the first. */
    oldest: integer(),
  },
  (table) => [primaryKey({ columns: [table.instance, table.to] })],
)

/** Messages of gaps that are stored and not yet reported: each chat's are reported the oldest first. */
export const lateMessages = sqliteTable(
  'late_messages',
  {
    instance: text().notNull(),
    messageid: text().notNull(),
    at: integer().notNull(),
    /** Of messages of the same second, the phone's order. */
    place: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.instance, table.messageid] }),
    index('late_messages_by_time').on(table.instance, table.at, table.place),
  ],
)

/** Messages that were reported as undecryptable, for two weeks: the phone can be asked for them. */
export const lostMessages = sqliteTable(
  'lost_messages',
  {
    instance: text().notNull(),
    /** The messageid with its chat and its sender, because senders choose ids. */
    name: text().notNull(),
    messageid: text().notNull(),
    chatid: text().notNull(),
    sender: text().notNull(),
    at: integer().notNull(),
    /** When the phone is asked; null once it was. */
    dueAt: integer('due_at'),
  },
  (table) => [primaryKey({ columns: [table.instance, table.name] })],
)
