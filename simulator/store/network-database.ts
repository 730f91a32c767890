// The database file of the simulated network and its tables.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { asBuffer } from '../codec/stanza.ts'

const TABLES = `
  create table if not exists secrets (name text primary key, value blob not null) strict;
  create table if not exists accounts (
    number text primary key,
    lid text not null unique,
    name text,
    auto_receipt integer not null,
    about text,
    identity_public blob not null, identity_private blob not null,
    registration integer not null,
    signed_id integer not null, signed_public blob not null, signed_private blob not null,
    signed_signature blob not null,
    devices_numbered integer not null default 0,
    lid_migrated integer not null default 0,
    username text, username_key text
  ) strict;
  create table if not exists companions (
    number text not null,
    device integer not null,
    key_index integer not null,
    noise_key blob not null,
    identity blob not null,
    registration integer not null,
    signed_id integer not null, signed_public blob not null, signed_signature blob not null,
    device_identity blob not null,
    linked_at integer not null,
    primary key (number, device)
  ) strict, without rowid;
  -- One-time keys that companions uploaded; each is used once.
  create table if not exists pre_keys (
    number text not null, device integer not null, id integer not null, public blob not null,
    primary key (number, device, id)
  ) strict, without rowid;
  -- One-time keys of the phones themselves, created when a device requests one.
  create table if not exists phone_pre_keys (
    id integer primary key autoincrement, number text not null,
    public blob not null, private blob not null
  ) strict;
  create index if not exists phone_pre_keys_of on phone_pre_keys (number, id);
  create table if not exists sessions (
    number text not null, peer text not null, record text not null,
    primary key (number, peer)
  ) strict, without rowid;
  create index if not exists sessions_with on sessions (peer);
  create table if not exists privacy (
    number text not null, category text not null, value text not null,
    primary key (number, category)
  ) strict, without rowid;
  create table if not exists blocked (
    number text not null, other text not null,
    primary key (number, other)
  ) strict, without rowid;
  -- What the phone shares with its companions, to read and write the settings that they have in common.
  create table if not exists app_state_keys (
    seq integer primary key autoincrement,
    number text not null, id blob not null, secret blob not null, made_at integer not null
  ) strict;
  create index if not exists app_state_keys_of on app_state_keys (number, seq);
  create table if not exists app_state_keys_given (
    number text not null, device integer not null,
    primary key (number, device)
  ) strict, without rowid;
  create table if not exists app_state_collections (
    number text not null, name text not null, version integer not null,
    sum blob not null, snapshot_mac blob not null, key_id blob not null,
    primary key (number, name)
  ) strict, without rowid;
  create table if not exists app_state_records (
    seq integer primary key autoincrement,
    number text not null, name text not null, index_mac blob not null,
    value_mac blob not null, record blob not null, action blob not null,
    unique (number, name, index_mac)
  ) strict;
  create table if not exists app_state_patches (
    number text not null, name text not null, version integer not null, patch blob not null,
    primary key (number, name, version)
  ) strict, without rowid;
  create table if not exists hosted (number text primary key) strict;
  -- The history that a phone sends to a companion that it links, in place of the usual one.
  create table if not exists histories (number text primary key, chunks text not null) strict, without rowid;
  create table if not exists businesses (number text primary key) strict;
  -- The accounts that need a passkey to link a device.
  create table if not exists passkey_demands (
    number text primary key, rp_id text not null, timeout_ms integer not null, confirmation integer not null
  ) strict;
  create table if not exists passkey_credentials (
    id blob primary key, number text not null, public_key blob not null, counter integer not null
  ) strict;
  -- What phones know of polls that they made or received: enough to vote.
  create table if not exists polls (
    id text not null, creator text not null, name text not null, choices text not null,
    selectable integer not null, secret blob not null,
    primary key (id, creator)
  ) strict, without rowid;
  create table if not exists groups (jid text primary key, invite text not null unique, record text not null) strict;
  create table if not exists group_members (
    seq integer primary key autoincrement,
    jid text not null, number text not null, role text not null,
    unique (jid, number)
  ) strict;
  create index if not exists group_members_by_number on group_members (number, jid);
  create table if not exists group_applicants (
    jid text not null, number text not null, at integer not null,
    primary key (jid, number)
  ) strict, without rowid;
  create table if not exists pictures (
    owner text primary key, id text not null unique, sha256 text not null,
    width integer not null, height integer not null, jpeg blob not null
  ) strict;
  create table if not exists media (
    seq integer primary key autoincrement, token text not null unique, size integer not null
  ) strict;
  -- Only of files that have been deleted from the hosts: how often they were uploaded, and what the phone still has.
  create table if not exists media_deletions (
    token text primary key, uploads integer not null, present integer not null, phone text not null
  ) strict, without rowid;
  -- Where something was at the last run, such as a port.
  create table if not exists places (name text primary key, value integer not null) strict;
  create table if not exists sender_keys (
    number text not null, chat text not null, peer text not null, record text not null,
    primary key (number, chat, peer)
  ) strict, without rowid;
  create index if not exists sender_keys_of_peer on sender_keys (peer);
  create index if not exists sender_keys_of_chat on sender_keys (chat);
  create table if not exists pasts (number text primary key, past text not null) strict, without rowid;
  -- How many chunks of its phone's past each companion was sent.
  create table if not exists past_deliveries (
    number text not null, device integer not null, is_full integer not null, sent integer not null,
    primary key (number, device)
  ) strict, without rowid;
  -- Which devices have the sender key that a phone made for a group.
  create table if not exists sender_keys_given (
    number text not null, chat text not null, peer text not null,
    primary key (number, chat, peer)
  ) strict, without rowid;
  create index if not exists sender_keys_given_to on sender_keys_given (peer);
  create index if not exists sender_keys_given_in on sender_keys_given (chat);
  -- Stanzas that a companion has not acknowledged yet.
  create table if not exists queue (
    seq integer primary key autoincrement,
    number text not null, device integer not null,
    tag text not null, id text not null, stanza blob not null
  ) strict;
  create index if not exists queue_of on queue (number, device, seq);
  create index if not exists queue_by_id on queue (number, device, id);
  create table if not exists messages (
    seq integer primary key autoincrement,
    id text not null, sender text not null, device integer not null, chat text not null,
    form text not null, content blob, sent_at integer not null
  ) strict;
  create unique index if not exists messages_by_id on messages (id, sender);
  create index if not exists messages_of on messages (sender, seq);
  create index if not exists messages_to on messages (chat, sender);
  create table if not exists inbox (
    seq integer primary key autoincrement,
    number text not null, id text not null, sender text not null, received_at integer not null, entry text not null,
    secret blob
  ) strict;
  create unique index if not exists inbox_once on inbox (number, id, sender);
  create index if not exists inbox_of on inbox (number, seq);
`

export function openDatabase(dataDir: string): DatabaseSync {
  const folder = join(dataDir, 'simulator')
  mkdirSync(folder, { recursive: true })
  const database = new DatabaseSync(join(folder, 'network.db'))
  // With a write-ahead log a killed process loses nothing that was committed; only a power cut could.
  database.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma busy_timeout = 2000;')
  database.exec(TABLES)
  addMissingColumns(database)
  return database
}

/** Those that the tables of an older folder lack. Such accounts are not migrated to LIDs. */
const LATER_COLUMNS = [
  ['accounts', 'lid_migrated', 'integer not null default 0'],
  ['accounts', 'username', 'text'],
  ['accounts', 'username_key', 'text'],
  ['inbox', 'secret', 'blob'],
] as const

function addMissingColumns(database: DatabaseSync) {
  for (const [table, column, type] of LATER_COLUMNS) {
    const columns = database.prepare(`pragma table_info(${table})`).all()
    if (!columns.some(({ name }) => name === column))
      database.exec(`alter table ${table} add column ${column} ${type}`)
  }
}

export type Row = Record<string, unknown>

export function readText(row: Row, column: string): string {
  return String(row[column])
}

export function readOptionalText(row: Row, column: string): string | undefined {
  return typeof row[column] === 'string' ? row[column] : undefined
}

export function readInteger(row: Row, column: string): number {
  return Number(row[column])
}

export function readBlob(row: Row, column: string): Buffer {
  return asBuffer(row[column] as Uint8Array)
}
