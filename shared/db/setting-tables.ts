// A session host's tables of what an account's devices share: settings of chats, contacts, names, labels, blocked people.

import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Settings of the account's devices for a chat, also for a chat without messages. */
export const chatSettings = sqliteTable(
  'chat_settings',
  {
    instance: text().notNull(),
    chatid: text().notNull(),
    archived: integer({ mode: 'boolean' }).notNull().default(false),
    pinned: integer({ mode: 'boolean' }).notNull().default(false),
    /** 0 for not muted, -1 for ever. */
    mutedUntil: integer('muted_until').notNull().default(0),
    /** Of a person: seconds after which new messages disappear; 0 if they stay. A group has its own. */
    timer: integer().notNull().default(0),
    /** When that was set; 0 if nothing is known of it. */
    timerSetAt: integer('timer_set_at').notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.instance, table.chatid] })],
)

/** People whom the account blocks: one row for each known spelling of a person. */
export const blocked = sqliteTable(
  'blocked',
  { instance: text().notNull(), id: text().notNull() },
  (table) => [primaryKey({ columns: [table.instance, table.id] })],
)

/** The contacts of the account's phone. */
export const contacts = sqliteTable(
  'contacts',
  {
    instance: text().notNull(),
    /** By phone number if it is known. */
    jid: text().notNull(),
    lid: text().notNull().default(''),
    name: text().notNull(),
    firstName: text('first_name').notNull().default(''),
    /** As in `chats`. */
    folded: text(),
  },
  (table) => [
    primaryKey({ columns: [table.instance, table.jid] }),
    index('contacts_by_folded').on(table.instance, table.folded, table.jid),
  ],
)

/** What the phone calls people, from the history that it sends after linking: for chats that have no name yet. */
export const knownNames = sqliteTable(
  'known_names',
  {
    instance: text().notNull(),
    /** By phone number if it is known. */
    id: text().notNull(),
    name: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.instance, table.id] })],
)

/** The usernames of people as the network sent them last: one row for each known id of a person; empty for one who gave it up. */
export const usernames = sqliteTable(
  'usernames',
  { instance: text().notNull(), id: text().notNull(), username: text().notNull() },
  (table) => [primaryKey({ columns: [table.instance, table.id] })],
)

/** Labels of a business account. */
export const labels = sqliteTable(
  'labels',
  {
    instance: text().notNull(),
    labelid: text().notNull(),
    name: text().notNull(),
    /** 0 to 19. */
    color: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.instance, table.labelid] })],
)

export const chatLabels = sqliteTable(
  'chat_labels',
  { instance: text().notNull(), chatid: text().notNull(), labelid: text().notNull() },
  (table) => [primaryKey({ columns: [table.instance, table.chatid, table.labelid] })],
)
