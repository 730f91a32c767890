// Rows of kept media: added with their message, taken by the keeper when due, ended when the file has to go.

import { and, eq } from 'drizzle-orm'
import { storedMedia } from '../../shared/db/host-tables.ts'
import type { Statement } from '../../shared/db/prepared-queries.ts'
import { type Row, type Store, statement } from './host-store.ts'

export type MediaRow = typeof storedMedia.$inferSelect

const ADD = `INSERT INTO stored_media (instance, messageid, name, state, at, next_at)
  VALUES (?1, ?2, ?3, 'waiting', ?4, 0) ON CONFLICT DO NOTHING`
/** A file that is in the local folder needs no connection of its instance. */
const NEXT = `SELECT instance, messageid FROM stored_media
  WHERE state = 'waiting' AND next_at <= ?1 AND name NOT IN (SELECT value FROM json_each(?2))
    AND (instance IN (SELECT value FROM json_each(?3))
      OR (key IS NOT NULL AND instance IN (SELECT value FROM json_each(?4))))
  ORDER BY next_at LIMIT 1`
const SOONEST = "SELECT min(next_at) AS at FROM stored_media WHERE state = 'waiting'"
const STORED = `UPDATE stored_media SET state = 'stored', key = ?, bytes = ?
  WHERE instance = ? AND messageid = ? AND state = 'waiting'`
const FAILED = `UPDATE stored_media SET key = ?, bytes = ?, attempts = attempts + 1, next_at = ?
  WHERE instance = ? AND messageid = ? AND state = 'waiting'`
const FORGET_KEY = `UPDATE stored_media SET key = NULL, bytes = 0
  WHERE instance = ? AND messageid = ? AND state = 'waiting'`
/** Without its key nothing can open the file, deleted or not. */
const END = "UPDATE stored_media SET state = 'ended', key = NULL WHERE instance = ?"
const END_ONE = `${END} AND messageid = ?`
const END_WAITING = `UPDATE stored_media SET state = 'ended', key = NULL
  WHERE state = 'waiting' AND instance IN (SELECT instance FROM sessions WHERE holder = ?)`
const ENDED = "SELECT instance, messageid, name FROM stored_media WHERE state = 'ended' LIMIT ?"
const DELETE = "DELETE FROM stored_media WHERE state = 'ended' AND name = ?"
const CLEAR_LINK = `UPDATE messages SET record = json_set(record, '$.fileURL', '')
  WHERE instance = ? AND messageid = ?`
const TOTALS = `SELECT coalesce(sum(bytes), 0) AS bytes,
  count(iif(state = 'waiting', 1, NULL)) AS waiting, min(iif(state = 'waiting', at, NULL)) AS oldest
  FROM stored_media WHERE state <> 'ended'`
const LOCAL = "SELECT coalesce(sum(bytes), 0) AS bytes FROM stored_media WHERE state = 'waiting'"
const OLDEST_STORED = `SELECT instance, messageid, bytes FROM stored_media
  WHERE state = 'stored' ORDER BY at LIMIT ?`
const KNOWN = 'SELECT value FROM json_each(?) WHERE value IN (SELECT name FROM stored_media)'

const toText = (row: Row, column: string) => String(row[column])

export const addMediaRow = (instance: string, messageid: string): Statement =>
  statement(ADD, instance, messageid, `${instance}/${crypto.randomUUID()}`, Date.now())

export async function findMediaRow(
  store: Store,
  instance: string,
  messageid: string,
): Promise<MediaRow | undefined> {
  const [row] = await store.db
    .select()
    .from(storedMedia)
    .where(and(eq(storedMedia.instance, instance), eq(storedMedia.messageid, messageid)))
  return row
}

/** The row that is due next, of an instance that is `connected`, or `here` if its file is in the local folder. */
export async function findDueMedia(
  store: Store,
  now: number,
  { active, connected, here }: { active: string[]; connected: string[]; here: string[] },
): Promise<MediaRow | undefined> {
  const lists = [active, connected, here].map((list) => JSON.stringify(list))
  const [row] = await store.rows(NEXT, now, ...lists)
  return row && findMediaRow(store, toText(row, 'instance'), toText(row, 'messageid'))
}

/** When the next row is due, in milliseconds since the epoch; undefined if none waits. */
export async function findSoonestMedia(store: Store): Promise<number | undefined> {
  const [row] = await store.rows(SOONEST)
  return row?.at == null ? undefined : Number(row.at)
}

type MediaName = Pick<MediaRow, 'instance' | 'messageid'>

export const markMediaStored = (
  { instance, messageid }: MediaName,
  key: Uint8Array<ArrayBuffer>,
  bytes: number,
): Statement => statement(STORED, key, bytes, instance, messageid)

/** `key` and `bytes`: of the file in the local folder, if it is there. */
export const markMediaFailed = ({ instance, messageid, key, bytes }: MediaRow, nextAt: number): Statement =>
  statement(FAILED, key, key ? bytes : 0, nextAt, instance, messageid)

export const forgetMediaKey = ({ instance, messageid }: MediaName): Statement =>
  statement(FORGET_KEY, instance, messageid)

/** The file is deleted with the next sweep. */
export const endMedia = (instance: string, messageid: string): Statement =>
  statement(END_ONE, instance, messageid)

/** Of a host that fetches no files any more. */
export const endWaitingMedia = (holder: string): Statement => statement(END_WAITING, holder)

export const endMediaOfInstance = (instance: string): Statement => statement(END, instance)

export async function listEndedMedia(store: Store, max: number) {
  const rows = await store.rows(ENDED, max)
  return rows.map((row) => ({
    instance: toText(row, 'instance'),
    messageid: toText(row, 'messageid'),
    name: toText(row, 'name'),
  }))
}

/** Deletes an ended row; its message has no link any more. */
export const deleteMediaRow = ({ instance, messageid, name }: MediaName & { name: string }): Statement[] => [
  statement(CLEAR_LINK, instance, messageid),
  statement(DELETE, name),
]

/** Of files that wait in the local folder. */
export async function readLocalBytes(store: Store): Promise<number> {
  const [row] = await store.rows(LOCAL)
  return Number(row?.bytes)
}

/** Reads every row. `oldest`: arrival of the message that waits longest. */
export async function readMediaTotals(store: Store) {
  const [row] = await store.rows(TOTALS)
  return {
    bytes: Number(row?.bytes),
    waiting: Number(row?.waiting),
    oldest: row?.oldest == null ? undefined : Number(row.oldest),
  }
}

export async function listOldestMedia(store: Store, max: number) {
  const rows = await store.rows(OLDEST_STORED, max)
  return rows.map((row) => ({
    instance: toText(row, 'instance'),
    messageid: toText(row, 'messageid'),
    bytes: Number(row.bytes),
  }))
}

/** Those of the names that have a row. */
export async function filterKnownMedia(store: Store, names: string[]): Promise<Set<string>> {
  const rows = await store.rows(KNOWN, JSON.stringify(names))
  return new Set(rows.map((row) => toText(row, 'value')))
}
