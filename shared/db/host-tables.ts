// A session host's tables: credentials, and the data that it got from the network. Times are milliseconds since the epoch.

import { sql } from 'drizzle-orm'
import { blob, check, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { UndecryptablePayload } from '../contract/change-envelopes.ts'
import type { DisconnectReason, Status } from '../contract/instance-requests.ts'
import type { MessageRecord } from '../contract/message-requests.ts'
import type { CallRecord } from '../contract/responses/call-responses.ts'
import type { AccountLimits } from '../contract/responses/limit-responses.ts'
import type { Outcome } from '../wire/outcome.ts'

/** The id of this store, independent of its address. Hosts that name the same id share it. */
export const storeIdentity = sqliteTable('store_identity', {
  /** 1: there is one row. */
  one: integer().primaryKey(),
  id: text().notNull(),
})

/** Always empty: an insert fails, and with it the whole batch. */
export const fence = sqliteTable('fence', { held: integer().notNull() }, ({ held }) => [
  check('fence_holds', sql`${held} = 1`),
])

/** The host that has the row, among those that share the store; empty if the store has one host only. */
const holder = text().notNull().default('')

/** One row for each instance in this store. */
export const sessions = sqliteTable('sessions', {
  instance: text().primaryKey(),
  holder,
  kind: text({ enum: ['msgnet', 'calls'] }).notNull(),
  epoch: integer().notNull(),
  /** `rev` of the newest SessionState. */
  rev: integer().notNull().default(0),
  /** The caller wants it connected: the host connects it again at its start. */
  wanted: integer({ mode: 'boolean' }).notNull().default(false),
  /** The state as last reported: after a restart the host reports only differences. */
  status: text().$type<Status>().notNull().default('disconnected'),
  jid: text().notNull().default(''),
  lid: text().notNull().default(''),
  profileName: text('profile_name').notNull().default(''),
  lastDisconnect: integer('last_disconnect').notNull().default(0),
  lastDisconnectReason: text('last_disconnect_reason').$type<DisconnectReason>().notNull().default(''),
  /** The URL of its proxy, sealed for the context `proxy:<instance>`; null for none. */
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
  /** The host that reports it. */
  holder,
  instance: text().notNull(),
  /** A Report without its `n`. */
  report: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
})

/** Acts of the edge, stored until the edge has seen their outcome. */
export const journal = sqliteTable('journal', {
  id: text().primaryKey(),
  /** The host that took the act. */
  holder,
  instance: text().notNull(),
  action: text().notNull(),
  outcome: text({ mode: 'json' }).$type<Outcome>(),
  acceptedAt: integer('accepted_at').notNull(),
  /** The message that the act sends: its later state resolves the act's outcome too. */
  messageid: text().notNull().default(''),
  /** The edge has seen the outcome. Such a row is retained only while an unknown outcome may still be resolved. */
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
    /** It only changes another message (an edit, a deletion): found by its id, but in no list of a chat. */
    change: integer({ mode: 'boolean' }).notNull().default(false),
    /** Received and not yet marked read. */
    unread: integer({ mode: 'boolean' }).notNull(),
    trackId: text('track_id').notNull().default(''),
    record: text({ mode: 'json' }).$type<MessageRecord>().notNull(),
    /** The network's own form of the message, for resends and for messages that refer to it. */
    encoded: blob().$type<Uint8Array<ArrayBuffer>>(),
    /** The request that sent it, for the events about it. */
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

/** One row for each chat, in the state after its newest message. */
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

/** Messages that could not be decrypted, stored as long as the sender may still repair them. */
export const undecryptable = sqliteTable(
  'undecryptable',
  {
    instance: text().notNull(),
    messageid: text().notNull(),
    dueAt: integer('due_at').notNull(),
    payload: text({ mode: 'json' }).$type<UndecryptablePayload>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.instance, table.messageid] })],
)

/** Groups of the linked account, as the network last described them. */
export const groups = sqliteTable(
  'groups',
  {
    instance: text().notNull(),
    jid: text().notNull(),
    subject: text().notNull(),
    /** As the driver returns it. */
    group: text({ mode: 'json' }).$type<object>().notNull(),
    /** Milliseconds; the last request to the network. */
    askedAt: integer('asked_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.instance, table.jid] })],
)

/** Temporary restrictions that the network has put on an account. */
export const limits = sqliteTable('limits', {
  instance: text().primaryKey(),
  state: text({ mode: 'json' }).$type<AccountLimits>().notNull(),
})

/** Unawaited messages, until their end is reported as an event. */
export const unawaited = sqliteTable(
  'unawaited',
  {
    instance: text().notNull(),
    messageid: text().notNull(),
    /** An unknown outcome was reported. */
    unknownReported: integer('unknown_reported', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [primaryKey({ columns: [table.instance, table.messageid] })],
)

/** The last calls of an instance of kind `calls`. */
export const calls = sqliteTable(
  'calls',
  {
    instance: text().notNull(),
    callid: text().notNull(),
    /** The caller in the network's spelling, which a rejection must name. */
    creator: text().notNull(),
    at: integer().notNull(),
    record: text({ mode: 'json' }).$type<CallRecord>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.instance, table.callid] })],
)
