// A session host's tables: what the network told it. Times are milliseconds since the epoch.

import { sql } from 'drizzle-orm'
import { blob, check, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { CallRecord } from '../contract/answers/call.ts'
import type { AccountLimits } from '../contract/answers/limits.ts'
import type { UndecryptablePayload } from '../contract/change-envelopes.ts'
import type { DisconnectReason, Status } from '../contract/instance.ts'
import type { MessageRecord } from '../contract/message.ts'
import type { Outcome } from '../wire/outcome.ts'

/** Which store this is, under whatever address it is reached: hosts that name the same one share it. */
export const storeIdentity = sqliteTable('store_identity', {
  /** 1: there is one row. */
  one: integer().primaryKey(),
  id: text().notNull(),
})

/** Never a row: what would insert one takes the whole batch down with it. */
export const fence = sqliteTable('fence', { held: integer().notNull() }, ({ held }) => [
  check('fence_holds', sql`${held} = 1`),
])

/** Which host of those that share a store has it; empty where the store is one host's own. */
const holder = text().notNull().default('')

/** One row an instance that is kept here. */
export const sessions = sqliteTable('sessions', {
  instance: text().primaryKey(),
  holder,
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
  /** The URL that it connects by, sealed for the context `proxy:<instance>`; null for none. */
  proxy: blob().$type<Uint8Array<ArrayBuffer>>(),
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
  /** Who reports it. */
  holder,
  instance: text().notNull(),
  /** A Report without its `n`. */
  report: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
})

/** Acts taken from the edge, kept until the edge has seen their outcome. */
export const journal = sqliteTable('journal', {
  id: text().primaryKey(),
  /** Who answers for it. */
  holder,
  instance: text().notNull(),
  action: text().notNull(),
  outcome: text({ mode: 'json' }).$type<Outcome>(),
  acceptedAt: integer('accepted_at').notNull(),
  /** The message that the act sends: what becomes of it later is the act's outcome too. */
  messageid: text().notNull().default(''),
  /** The edge has seen the outcome. Kept only where an unknown one may still become known. */
  seen: integer({ mode: 'boolean' }).notNull().default(false),
})

export const messages = sqliteTable(
  'messages',
  {
    instance: text().notNull(),
    messageid: text().notNull(),
    chatid: text().notNull(),
    at: integer().notNull(),
    fromMe: integer('from_me', { mode: 'boolean' }).notNull(),
    /** It only changes another one (an edit, a deletion): found by its id, in no list of a chat. */
    change: integer({ mode: 'boolean' }).notNull().default(false),
    /** Received and not yet marked read. */
    unread: integer({ mode: 'boolean' }).notNull(),
    trackId: text('track_id').notNull().default(''),
    record: text({ mode: 'json' }).$type<MessageRecord>().notNull(),
    /** The network's own form of it, for resends and for what refers to it. */
    encoded: blob('wire').$type<Uint8Array<ArrayBuffer>>(),
    /** The request that sent it, for the events that tell of that. */
    requestId: text('request_id'),
    traceparent: text(),
  },
  (table) => [
    primaryKey({ columns: [table.instance, table.messageid] }),
    index('messages_by_chat').on(table.instance, table.chatid, table.at),
    index('messages_unread').on(table.instance, table.chatid, table.unread),
    index('messages_by_track').on(table.instance, table.trackId, table.at),
    index('messages_by_time').on(table.instance, table.at),
    index('messages_by_age').on(table.at),
  ],
)

/** One row a chat, as its newest message leaves it. */
export const chats = sqliteTable(
  'chats',
  {
    instance: text().notNull(),
    chatid: text().notNull(),
    chatlid: text().notNull().default(''),
    name: text().notNull().default(''),
    isGroup: integer('is_group', { mode: 'boolean' }).notNull(),
    lastAt: integer('last_at').notNull(),
    lastMessageid: text('last_messageid').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.instance, table.chatid] }),
    index('chats_by_age').on(table.instance, table.lastAt),
  ],
)

/** Messages that did not decrypt, held back for as long as the sender may still repair them. */
export const undecryptable = sqliteTable(
  'unreadable',
  {
    instance: text().notNull(),
    messageid: text().notNull(),
    dueAt: integer('due_at').notNull(),
    payload: text({ mode: 'json' }).$type<UndecryptablePayload>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.instance, table.messageid] })],
)

/** Groups that the linked account is in, as the network described them last. */
export const groups = sqliteTable(
  'groups',
  {
    instance: text().notNull(),
    jid: text().notNull(),
    subject: text().notNull(),
    /** As the driver tells it. */
    group: text({ mode: 'json' }).$type<object>().notNull(),
    /** Milliseconds; when the network was last asked. */
    askedAt: integer('asked_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.instance, table.jid] })],
)

/** What the account's devices have set for a chat, whether or not there are messages of it. */
export const chatSettings = sqliteTable(
  'chat_settings',
  {
    instance: text().notNull(),
    chatid: text().notNull(),
    archived: integer({ mode: 'boolean' }).notNull().default(false),
    pinned: integer({ mode: 'boolean' }).notNull().default(false),
    /** 0 for not muted, -1 for ever. */
    mutedUntil: integer('muted_until').notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.instance, table.chatid] })],
)

/** Whom the account blocks: a row for each spelling that is known of a person. */
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
    /** By phone number where it is known. */
    jid: text().notNull(),
    lid: text().notNull().default(''),
    name: text().notNull(),
    firstName: text('first_name').notNull().default(''),
  },
  (table) => [primaryKey({ columns: [table.instance, table.jid] })],
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

/** What the network lets an account do no longer, for a while. */
export const limits = sqliteTable('limits', {
  instance: text().primaryKey(),
  state: text({ mode: 'json' }).$type<AccountLimits>().notNull(),
})

/** Messages that were sent without waiting, until it is told what became of them. */
export const unawaited = sqliteTable(
  'unawaited',
  {
    instance: text().notNull(),
    messageid: text().notNull(),
    /** That nobody knows what became of it. */
    told: integer({ mode: 'boolean' }).notNull().default(false),
  },
  (table) => [primaryKey({ columns: [table.instance, table.messageid] })],
)

/** The last calls of an instance of kind `calls`. */
export const calls = sqliteTable(
  'calls',
  {
    instance: text().notNull(),
    callid: text().notNull(),
    /** Who called, as the network spells it: a rejection names him so. */
    creator: text().notNull(),
    at: integer().notNull(),
    record: text({ mode: 'json' }).$type<CallRecord>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.instance, table.callid] })],
)
