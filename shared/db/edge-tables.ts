// The edge's tables: instances and everything that callers own. Times are milliseconds since the epoch.

import { sql } from 'drizzle-orm'
import {
  blob,
  foreignKey,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import type { ReportedCoverage } from '../contract/coverage.ts'
import type { IgnoredEvent, MessageFilter, WebhookEvent } from '../contract/event-names.ts'
import type { HistoryProgress } from '../contract/history.ts'
import type { DisconnectReason, Status } from '../contract/instance-requests.ts'
import type { StoredFormat } from '../contract/webhook-formats.ts'
import { reportedTroubles } from '../contract/webhook-trouble.ts'

export const hosts = sqliteTable('hosts', {
  id: text().primaryKey(),
  region: text().notNull(),
  tokenHash: text('token_hash').notNull().unique(),
  /** The host's own number of slots; 0 until its first `hello`. */
  slots: integer().notNull().default(0),
  /** The most slots that the admin allows. */
  maxSlots: integer('max_slots').notNull().default(200),
  sessions: integer().notNull().default(0),
  /** Event-loop lag in milliseconds at the last heartbeat. */
  lag: integer().notNull().default(0),
  /** Until when the host may hold sessions, on the database's clock. */
  leaseUntil: integer('lease_until').notNull().default(0),
  boot: text().notNull().default(''),
  /** The id of the store with its sessions. A host with the same store can take over. Empty until its first `hello`. */
  storeId: text('store_id').notNull().default(''),
  draining: integer({ mode: 'boolean' }).notNull().default(false),
  createdAt: integer('created_at').notNull(),
})

export const instances = sqliteTable(
  'instances',
  {
    id: text().primaryKey(),
    kind: text({ enum: ['msgnet', 'calls'] }).notNull(),
    name: text().notNull(),
    /** By which dialects name it in paths; null without one. No two instances have the same: the insert sees to that. */
    handle: text(),
    /** The name without accents and case, for searching and sorting. Empty in a row that was not written by this edge. */
    foldedName: text('folded_name').notNull().default(''),
    companyId: text('company_id').notNull().default(''),
    tokenHash: text('token_hash').notNull().unique(),
    /** The token before the last renewal, which is valid until `previousTokenUntil`. */
    previousTokenHash: text('previous_token_hash'),
    previousTokenUntil: integer('previous_token_until').notNull().default(0),
    /** The host that stores the credential, empty until the first connect, and the epoch of that assignment. */
    hostId: text('host_id').notNull().default(''),
    epoch: integer().notNull().default(0),
    /** The newest SessionState, column by column; `rev` keeps an older one from overwriting it. */
    rev: integer().notNull().default(0),
    status: text().$type<Status>().notNull().default('disconnected'),
    connected: integer({ mode: 'boolean' }).notNull().default(false),
    loggedIn: integer('logged_in', { mode: 'boolean' }).notNull().default(false),
    jid: text().notNull().default(''),
    /** Digits of the account that was linked before; written when `jid` becomes empty. */
    previousNumber: text('previous_number').notNull().default(''),
    lid: text().notNull().default(''),
    profileName: text('profile_name').notNull().default(''),
    /** Sealed for the context `pairing:<instance id>`: the text of a QR code holds the device's own secret. */
    pairing: blob().$type<Uint8Array<ArrayBuffer>>(),
    /** When the pairing ends, if there is one. */
    pairingUntil: integer('pairing_until').notNull().default(0),
    lastDisconnect: integer('last_disconnect').notNull().default(0),
    lastDisconnectReason: text('last_disconnect_reason').$type<DisconnectReason>().notNull().default(''),
    history: text({ mode: 'json' }).$type<HistoryProgress>(),
    coverage: text({ mode: 'json' }).$type<ReportedCoverage>(),
    /** Seconds that a message without its own delay waits, at random between the two. */
    delayMin: integer('delay_min').notNull().default(0),
    delayMax: integer('delay_max').notNull().default(0),
    /** `seq` of the newest event. */
    lastSeq: integer('last_seq').notNull().default(0),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    index('instances_by_age').on(table.createdAt),
    index('instances_by_handle').on(table.handle).where(sql`handle is not null`),
    index('instances_by_account').on(table.jid).where(sql`jid <> ''`),
    index('instances_by_company').on(table.companyId, table.createdAt),
    index('instances_by_host').on(table.hostId),
    index('instances_by_previous_token')
      .on(table.previousTokenHash)
      .where(sql`previous_token_hash is not null`),
    index('instances_pairing').on(table.pairingUntil).where(sql`pairing is not null`),
  ],
)

/**
 * Hosts that an instance was assigned to before, each with its last epoch there. They may still report the events of that
 * time.
 */
export const previousHosts = sqliteTable(
  'previous_hosts',
  {
    instanceId: text('instance_id')
      .notNull()
      .references(() => instances.id, { onDelete: 'cascade' }),
    hostId: text('host_id').notNull(),
    epoch: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.instanceId, table.hostId] })],
)

/** Texts by name that a dialect keeps with an instance for its callers; nothing else reads them. */
export const instanceFields = sqliteTable('instance_fields', {
  instanceId: text('instance_id')
    .primaryKey()
    .references(() => instances.id, { onDelete: 'cascade' }),
  fields: text({ mode: 'json' }).$type<Record<string, string>>().notNull(),
})

/** One-time links for the person with the phone. Only the digest of the secret in its URL is stored. */
export const links = sqliteTable(
  'links',
  {
    id: text().primaryKey(),
    instanceId: text('instance_id')
      .notNull()
      .references(() => instances.id, { onDelete: 'cascade' }),
    secretHash: text('secret_hash').notNull().unique(),
    purpose: text({ enum: ['device', 'webhooks'] })
      .notNull()
      .default('device'),
    /** Of the page; empty for that of the browser. */
    language: text({ enum: ['', 'en', 'pt-BR', 'es'] }).notNull(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    /** When a device was linked, by this link or another way: a trigger sets it. 0 for ever where the purpose is another. */
    usedAt: integer('used_at').notNull().default(0),
  },
  (table) => [index('links_by_instance').on(table.instanceId), index('links_by_expiry').on(table.expiresAt)],
)

/** What an event has for dialects beyond the words of the contract. */
export interface BeyondContract {
  /** The message that results from an edit or a vote, as the payload of a `messages` event. */
  result?: Record<string, unknown> | undefined
  /** A new QR code or pairing code is there, which itself is not stored with the event. */
  code?: true | undefined
}

/** The newest failed attempt; `status` is the receiver's, 0 when there was no answer. */
export interface LastFailure {
  eventId: string
  type: string
  at: number
  attempts: number
  status: number
  error: string
}

/** The columns of a webhook, for one instance or for the whole server. */
const destination = {
  url: text().notNull(),
  events: text({ mode: 'json' }).$type<WebhookEvent[]>().notNull(),
  ignoredEvents: text('ignored_events', { mode: 'json' }).$type<IgnoredEvent[]>().notNull(),
  excludeMessages: text('exclude_messages', { mode: 'json' }).$type<MessageFilter[]>(),
  enabled: integer({ mode: 'boolean' }).notNull(),
  /** The form of its events: `contract` or the name of a dialect; empty for the form of the gateway's root. */
  format: text().$type<StoredFormat>().notNull().default(''),
  /** The name of the event, and then the type of the message, are added to the path of `url`. */
  addUrlEvents: integer('add_url_events', { mode: 'boolean' }).notNull().default(false),
  addUrlTypes: integer('add_url_types', { mode: 'boolean' }).notNull().default(false),
  /** Sealed for the context `webhook-secret:<id of the instance for position 0, else of the webhook>`, or `webhook-secret:server`. */
  secret: blob().$type<Uint8Array<ArrayBuffer>>(),
  /** The secret before the last change: it signs too until `previousSecretUntil`. */
  previousSecret: blob('previous_secret').$type<Uint8Array<ArrayBuffer>>(),
  previousSecretUntil: integer('previous_secret_until').notNull().default(0),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
}

/** Headers that a caller adds to the requests to a webhook of an instance. */
const extraHeaders = {
  /** Their names, in the order of the request. */
  headerNames: text('header_names', { mode: 'json' }).$type<string[]>(),
  /** An object of names and values, sealed for the context `webhook-headers:<id of the instance for position 0, else of the webhook>`. */
  headers: blob().$type<Uint8Array<ArrayBuffer>>(),
}

/** The health of a webhook's present destination. */
const health = {
  /** Set by a 410 of the receiver: nothing is sent until the webhook is saved again. */
  gone: integer({ mode: 'boolean' }).notNull().default(false),
  lastDeliveredAt: integer('last_delivered_at').notNull().default(0),
  /** The first failure since the last success; 0 if the last attempt succeeded. */
  failingSince: integer('failing_since').notNull().default(0),
  lastFailure: text('last_failure', { mode: 'json' }).$type<LastFailure>(),
}

/** The global webhook, at most one row. A `delete` leaves the row as not registered, so that the environment's webhook does not come back. */
export const serverWebhook = sqliteTable('server_webhook', {
  id: text({ enum: ['server'] }).primaryKey(),
  registered: integer({ mode: 'boolean' }).notNull(),
  /** A webhook that was saved through the API has priority over the environment. */
  source: text({ enum: ['saved', 'environment'] }).notNull(),
  ...destination,
  /** It gets the event `webhook`, which instances do not inherit. */
  getsWebhookEvents: integer('gets_webhook_events', { mode: 'boolean' }).notNull().default(false),
})

/**
 * The webhooks of an instance. The one at position 0 is what `/webhook` shows; it stays when it is off, because the outcomes of events
 * at it are what an event says of itself.
 */
export const webhooks = sqliteTable(
  'webhooks',
  {
    /** Names the webhook in rows of deliveries. Never used again. */
    lane: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    instanceId: text('instance_id')
      .notNull()
      .references(() => instances.id, { onDelete: 'cascade' }),
    /** 0 to 4. The number of its bit in `wanted` of an event. */
    position: integer().notNull(),
    /**
     * `own` was chosen for the instance, and only position 0 has another mode: `inherited` is a copy of the global webhook, made
     * whenever that changes; `none` would be one, but there is no global webhook now; `off` delivers nothing.
     */
    mode: text({ enum: ['own', 'inherited', 'off', 'none'] }).notNull(),
    ...destination,
    /** What only its format reads. */
    formatOptions: text('format_options', { mode: 'json' }).$type<Record<string, unknown>>(),
    ...extraHeaders,
    ...health,
    /** Ids of chats, `groups` or `people`; null for all. */
    chats: text({ mode: 'json' }).$type<string[]>(),
    /**
     * The `seq` up to which every event is not for this webhook, or has a row in `deliveries` and delays no other. Of the events after it, those
     * wait that the webhook wants and that have no row yet.
     */
    cursor: integer().notNull(),
    /** When this URL was set. Events that are dead since before failed at another URL. */
    since: integer().notNull().default(0),
    /** The worst trouble that the operator was told of; empty after it is over. */
    reportedTrouble: text('reported_trouble', { enum: reportedTroubles }).notNull().default(''),
    /** When an event died after its last attempt, until that is reported. */
    gaveUpAt: integer('gave_up_at').notNull().default(0),
  },
  (table) => [
    uniqueIndex('webhooks_by_instance').on(table.instanceId, table.position),
    // Those that the tick looks at each minute.
    index('webhooks_in_trouble')
      .on(table.lane)
      .where(sql`failing_since > 0 or gone or reported_trouble <> '' or gave_up_at > 0`),
  ],
)

/** Instances with an open stream of events. */
export const listeners = sqliteTable('listeners', {
  instanceId: text('instance_id')
    .primaryKey()
    .references(() => instances.id, { onDelete: 'cascade' }),
  /** Renewed while a stream is open. */
  until: integer().notNull(),
})

/**
 * The log: a row is written once, and no delivery changes it. What became of an event is in `deliveries`, and follows from the cursors of
 * webhooks where it has no row there. The table in the database has columns of the version before, which are not used any more.
 */
export const events = sqliteTable(
  'events',
  {
    id: text().primaryKey(),
    instanceId: text('instance_id')
      .notNull()
      .references(() => instances.id, { onDelete: 'cascade' }),
    /** Per instance, from 1, without gaps. */
    seq: integer().notNull(),
    type: text().notNull(),
    owner: text().notNull(),
    payload: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    /** What only dialects make events of; null for most, and where no dialect is served. */
    beyond: text({ mode: 'json' }).$type<BeyondContract>(),
    /** When it happened, as the host saw it. */
    at: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    /** A bit for each webhook that was to get it when it was stored, by position. */
    wanted: integer().notNull().default(1),
    /** Why it could not be stored whole: it is dead from the beginning. */
    refused: text(),
    /** Of the message that the event is about; empty if it is about several. Null for others, and from before this column. */
    messageid: text(),
    /** The request that caused the event, and its trace context. */
    requestId: text('request_id'),
    traceparent: text(),
  },
  (table) => [
    // Filters and cursors are checked in the index, without reading a row.
    index('events_in_log').on(table.instanceId, table.seq, table.type, table.createdAt, table.wanted),
    index('events_by_age').on(table.createdAt),
    index('events_unaddressed').on(table.instanceId, table.seq).where(sql`wanted = 0`),
    index('events_not_whole').on(table.instanceId, table.seq).where(sql`refused is not null`),
    index('events_by_message').on(table.messageid, table.instanceId).where(sql`messageid is not null`),
  ],
)

/**
 * What became of an event at a webhook, from its first attempt. The table has no rowid, so that a delivery at once is one short entry behind
 * the one before it; only what waits or failed is in an index.
 */
export const deliveries = sqliteTable(
  'deliveries',
  {
    lane: integer()
      .notNull()
      .references(() => webhooks.lane, { onDelete: 'cascade' }),
    /** Of the event. */
    seq: integer().notNull(),
    status: text({ enum: ['pending', 'delivered', 'dead'] }).notNull(),
    attempts: integer().notNull(),
    /** How many parts of the event, in the webhook's form, were delivered; the next attempt goes on behind them. */
    partsDone: integer('parts_done').notNull().default(0),
    lastAttemptAt: integer('last_attempt_at'),
    /** Of the last attempt, in milliseconds. */
    lastDuration: integer('last_duration'),
    lastStatus: integer('last_status'),
    nextAttemptAt: integer('next_attempt_at'),
    deadAt: integer('dead_at'),
    lastError: text('last_error'),
    /**
     * The beginning of the receiver’s response to the last attempt, if it refused. Sealed for the context
     * `last-response:<id of the event>`; deleted after some days.
     */
    lastResponse: blob('last_response').$type<Uint8Array<ArrayBuffer>>(),
  },
  (table) => [
    primaryKey({ columns: [table.lane, table.seq] }),
    // With `seq`, so that ten thousand events of a replay, which are due at the same time, need not be sorted.
    index('deliveries_due').on(table.lane, table.nextAttemptAt, table.seq).where(sql`status = 'pending'`),
    index('deliveries_dead').on(table.lane, table.deadAt).where(sql`status = 'dead'`),
    index('deliveries_failed').on(table.lane, table.seq).where(sql`last_error is not null`),
    index('deliveries_refused').on(table.lastAttemptAt).where(sql`last_response is not null`),
  ],
)

/**
 * The attempts before the last one, which is in the row of the delivery: the first attempt of an event, and so nearly every
 * delivery, writes no row here. Without a rowid too.
 */
export const deliveryAttempts = sqliteTable(
  'delivery_attempts',
  {
    lane: integer().notNull(),
    seq: integer().notNull(),
    /** From 1; a replay counts on. */
    number: integer().notNull(),
    at: integer().notNull(),
    duration: integer(),
    status: integer(),
    error: text(),
    /** As `lastResponse` of the delivery. */
    response: blob().$type<Uint8Array<ArrayBuffer>>(),
  },
  (table) => [
    primaryKey({ columns: [table.lane, table.seq, table.number] }),
    foreignKey({
      columns: [table.lane, table.seq],
      foreignColumns: [deliveries.lane, deliveries.seq],
    }).onDelete('cascade'),
    index('delivery_attempts_refused').on(table.at).where(sql`response is not null`),
  ],
)
