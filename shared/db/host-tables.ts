// A session host's tables: credentials, and the data that it got from the network. Times are milliseconds since the epoch.

import { sql } from 'drizzle-orm'
import {
  blob,
  check,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import type { EventName } from '../contract/event-names.ts'
import type { HistoryMode, HistoryProgress } from '../contract/history.ts'
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
  /** Of this linking; null for none. */
  history: text({ mode: 'json' }).$type<StoredHistory>(),
  /** Until when its messages are here; null before the first login. */
  coverage: text({ mode: 'json' }).$type<StoredCoverage>(),
  /** Its caller showed the account as online; shown again after a login while chats are subscribed. */
  online: integer({ mode: 'boolean' }).notNull().default(false),
})

/** How much of its past the phone was asked for, how far it has come, and the number of its messages that were stored. */
export interface StoredHistory extends HistoryProgress {
  mode: HistoryMode
  messages: number
}

/** `isMoving`: while this is written at least each minute. `isNewDevice`: the next login is that of another device. */
export interface StoredCoverage {
  account: string
  since: number
  until: number
  isMoving: boolean
  isNewDevice: boolean
}

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
  /** Something of its effect may have left. True for rows of versions that did not say it. */
  hasLeft: integer('has_left', { mode: 'boolean' }).notNull().default(true),
})

/** SQL for the time from which a message is kept: a message of the history would be too old at once by its own. */
export const MESSAGE_AGE = 'CASE WHEN stored_at IS NULL THEN at ELSE stored_at END'

/** SQL that says which messages are in an index. */
export const IS_UNREAD = sql.raw('unread = 1')
export const HAS_TRACK = sql.raw("track_id <> ''")
const HAS_EXPIRY = sql.raw('expires_at IS NOT NULL')

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
    /** Of a message of the history: when it was stored. Its age counts from then on. */
    storedAt: integer('stored_at'),
    /** When it disappears from the chat, and is deleted here; null if it stays. */
    expiresAt: integer('expires_at'),
  },
  (table) => [
    primaryKey({ columns: [table.instance, table.messageid] }),
    index('messages_by_chat').on(table.instance, table.chatid, table.at),
    // A query uses these two only where it has the same condition in these words. A message of the history is in neither.
    index('messages_unread').on(table.instance, table.chatid, table.at).where(IS_UNREAD),
    index('messages_by_track').on(table.instance, table.trackId, table.at).where(HAS_TRACK),
    index('messages_by_time').on(table.instance, table.at),
    // Without a comma, at which the maker of migrations splits it.
    index('messages_by_age').on(sql.raw(MESSAGE_AGE)),
    index('messages_by_expiry').on(table.expiresAt).where(HAS_EXPIRY),
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
    /** The name as `foldText` writes it; null until a search has folded it, and again when a trigger sees another name. */
    folded: text(),
  },
  (table) => [
    primaryKey({ columns: [table.instance, table.chatid] }),
    index('chats_by_age').on(table.instance, table.lastAt),
    // Searched from end to end. Written only with `folded`: a message that changes no name does not touch it.
    index('chats_by_folded').on(table.instance, table.folded, table.chatid),
  ],
)

/** Messages that could not be decrypted, stored as long as the sender may still repair them. */
export const undecryptable = sqliteTable(
  'undecryptable',
  {
    instance: text().notNull(),
    messageid: text().notNull(),
    dueAt: integer('due_at').notNull(),
    payload: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    /** The event. Beside an undecryptable message, a change that cannot be read while the message that it changes is missing. */
    type: text().$type<EventName>().notNull().default('undecryptable'),
  },
  (table) => [primaryKey({ columns: [table.instance, table.messageid] })],
)

/** Changes that arrived before the message that they change; `target` is the id by which their sender named it. */
export const earlyChanges = sqliteTable(
  'early_changes',
  {
    instance: text().notNull(),
    messageid: text().notNull(),
    chatid: text().notNull(),
    target: text().notNull(),
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
    /** The message may have left. True for rows of versions that did not say it. */
    hasLeft: integer('has_left', { mode: 'boolean' }).notNull().default(true),
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

/**
 * Files of messages that came in, from their arrival until they are deleted from the media store. Messages with the same file have
 * a row each, with the same name: it is stored once, and deleted with its last row.
 */
export const storedMedia = sqliteTable(
  'stored_media',
  {
    instance: text().notNull(),
    messageid: text().notNull(),
    /** The name in the media store. */
    name: text().notNull(),
    /** Equal for the same file of an instance; empty where the message does not identify it. */
    digest: text().notNull().default(''),
    /** The account does not know the sender. */
    stranger: integer({ mode: 'boolean' }).notNull().default(false),
    /** `ended`: the file is deleted next unless it has another row, and then the row. */
    state: text({ enum: ['waiting', 'stored', 'ended'] }).notNull(),
    /** The key of the file, sealed for the context `media:<name>`; null until the file is in the local folder or the media store. */
    key: blob().$type<Uint8Array<ArrayBuffer>>(),
    /** Of the sealed file. */
    bytes: integer().notNull().default(0),
    /** Arrival of the message. */
    at: integer().notNull(),
    attempts: integer().notNull().default(0),
    nextAt: integer('next_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.instance, table.messageid] }),
    index('stored_media_by_state').on(table.state, table.nextAt),
    index('stored_media_by_turn').on(table.instance, table.state, table.stranger, table.nextAt),
    index('stored_media_by_digest').on(table.instance, table.digest, table.state),
    index('stored_media_by_name').on(table.name),
    index('stored_media_by_age').on(table.at),
  ],
)

/** Reports that wait for the file of a message, and those of the same chat behind them, in order. */
export const heldReports = sqliteTable(
  'held_reports',
  {
    n: integer().primaryKey({ autoIncrement: true }),
    instance: text().notNull(),
    chatid: text().notNull(),
    /** The message whose file it waits for; empty if it only waits for the reports before it. */
    messageid: text().notNull(),
    /** It waits until then at most. */
    until: integer().notNull(),
    report: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  },
  (table) => [index('held_reports_by_chat').on(table.instance, table.chatid)],
)

/** Chats whose presence is subscribed: again after each login. */
export const presenceSubscriptions = sqliteTable(
  'presence_subscriptions',
  {
    instance: text().notNull(),
    /** By phone number if it is known. */
    chatid: text().notNull(),
    lid: text().notNull().default(''),
  },
  (table) => [primaryKey({ columns: [table.instance, table.chatid] })],
)

/** Messages that are sent at a time. The row is deleted with the write that comes before the message leaves. */
export const scheduled = sqliteTable(
  'scheduled',
  {
    n: integer().primaryKey({ autoIncrement: true }),
    instance: text().notNull(),
    messageid: text().notNull(),
    dueAt: integer('due_at').notNull(),
    /** The name of the action that sends it, and its input. */
    action: text().notNull(),
    input: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    /** As the caller got it. */
    record: text({ mode: 'json' }).$type<MessageRecord>().notNull(),
    /** Size of its file; 0 for none. */
    fileBytes: integer('file_bytes').notNull().default(0),
    /** Why it must not be sent any more; empty while it waits. */
    ended: text().notNull().default(''),
    /** The request that scheduled it, for the events about it. */
    requestId: text('request_id'),
    traceparent: text(),
  },
  (table) => [
    uniqueIndex('scheduled_by_message').on(table.instance, table.messageid),
    index('scheduled_by_time').on(table.dueAt),
    index('scheduled_by_instance').on(table.instance, table.dueAt),
    index('scheduled_with_file').on(table.instance, table.fileBytes).where(sql`file_bytes > 0`),
  ],
)

/** Files of such messages, in pieces, so that every host that shares the store can send them. */
export const scheduledFiles = sqliteTable(
  'scheduled_files',
  {
    instance: text().notNull(),
    messageid: text().notNull(),
    place: integer().notNull(),
    /** Sealed for the context `scheduled:<instance>:<messageid>:<place>`. */
    bytes: blob().$type<Uint8Array<ArrayBuffer>>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.instance, table.messageid, table.place] })],
)
