// Rows of kept media: added with their message, taken by the keeper when due, ended when the file has to go. Rows of one name share a file.

import { storedMedia } from '@msgnet/shared/db/host-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { and, eq } from 'drizzle-orm'
import { type Row, type Store, statement } from './host-store.ts'

export type MediaRow = typeof storedMedia.$inferSelect

/** With the name of the file if the instance has it already, and with its key if it is here. */
const ADD = `INSERT INTO stored_media
    (instance, messageid, name, digest, stranger, state, key, bytes, at, attempts, next_at)
  SELECT ?1, ?2, coalesce(same.name, ?3), ?4, ?5, 'waiting', same.key, coalesce(same.bytes, 0), ?6,
    coalesce(same.attempts, 0), iif(same.state = 'waiting', same.next_at, 0)
  FROM (SELECT 1) LEFT JOIN (SELECT name, state, key, bytes, attempts, next_at FROM stored_media
    WHERE instance = ?1 AND digest = ?4 AND digest <> '' AND state IN ('stored', 'waiting') ORDER BY state LIMIT 1) AS same
  WHERE true ON CONFLICT DO NOTHING`
/** The first due row of an instance. A file that is here already needs no connection. */
const buildFirstDue = (stranger: 0 | 1, mayFetch: string) => `SELECT messageid FROM stored_media
  WHERE stored_media.instance = json_extract(free.value, '$.instance') AND state = 'waiting'
    AND stranger = ${stranger} AND next_at <= ?2 AND (key IS NOT NULL OR json_extract(free.value, '$.${mayFetch}'))
    AND name NOT IN (SELECT value FROM json_each(?3))
  ORDER BY next_at LIMIT 1`
const DUE = `SELECT json_extract(free.value, '$.instance') AS instance,
    coalesce((${buildFirstDue(0, 'mayFetch')}), (${buildFirstDue(1, 'mayFetchOfStrangers')})) AS messageid
  FROM json_each(?1) AS free`
const SOONEST = "SELECT min(next_at) AS at FROM stored_media WHERE state = 'waiting'"
const WAITING = "SELECT messageid FROM stored_media WHERE name = ? AND state = 'waiting' LIMIT ?"
const STORED_TWIN = "SELECT key, bytes FROM stored_media WHERE name = ? AND state = 'stored' LIMIT 1"
const STORED = `UPDATE stored_media SET state = 'stored'
  WHERE instance = ? AND messageid IN (SELECT value FROM json_each(?)) AND state = 'waiting'`
/** All rows of the file, so that those that still wait are stored next. */
const SHARE_KEY =
  "UPDATE stored_media SET key = ?, bytes = ?, next_at = 0 WHERE name = ? AND state <> 'ended'"
const FAILED = `UPDATE stored_media SET key = ?, bytes = ?, attempts = attempts + 1, next_at = ?
  WHERE name = ? AND state = 'waiting'`
const FORGET_KEY = "UPDATE stored_media SET key = NULL, bytes = 0 WHERE name = ? AND state = 'waiting'"
/** Without its key nothing can open the file, deleted or not. */
const END = "UPDATE stored_media SET state = 'ended', key = NULL WHERE instance = ?"
const END_ONE = `${END} AND messageid = ?`
const END_CHATS = `${END} AND messageid IN
  (SELECT messageid FROM messages WHERE messages.instance = stored_media.instance AND chatid IN (SELECT value FROM json_each(?)))`
const END_FILE = "UPDATE stored_media SET state = 'ended', key = NULL WHERE name = ?"
const END_WAITING = `UPDATE stored_media SET state = 'ended', key = NULL
  WHERE state = 'waiting' AND instance IN (SELECT instance FROM sessions WHERE holder = ?)`
const ENDED = `SELECT instance, messageid, name FROM stored_media
  WHERE state = 'ended' AND name NOT IN (SELECT value FROM json_each(?)) LIMIT ?`
const HAS_OTHERS = 'SELECT 1 FROM stored_media WHERE name = ? AND (instance, messageid) <> (?, ?) LIMIT 1'
const DELETE = "DELETE FROM stored_media WHERE state = 'ended' AND instance = ? AND messageid = ?"
const CLEAR_LINK = `UPDATE messages SET record = json_set(record, '$.fileURL', '')
  WHERE instance = ? AND messageid = ?`
const WAITING_TOTALS = `SELECT count(*) AS waiting, min(at) AS oldest FROM stored_media WHERE state = 'waiting'`
/** A plus keeps SQLite from reading the whole index of the names. */
const LOCAL = `SELECT instance, sum(bytes) AS bytes FROM
    (SELECT instance, max(bytes) AS bytes FROM stored_media WHERE state = 'waiting' AND key IS NOT NULL GROUP BY +name)
  GROUP BY instance`
const USAGE = `SELECT instance, sum(bytes) AS bytes FROM
    (SELECT instance, max(bytes) AS bytes FROM stored_media WHERE state <> 'ended' GROUP BY name)
  GROUP BY instance`
/** A file is as old as the last message with it. */
const OLDEST_STORED = `SELECT name, max(bytes) AS bytes FROM stored_media
  WHERE instance = ? AND state = 'stored' GROUP BY name ORDER BY max(at) LIMIT ?`
const KNOWN = 'SELECT value FROM json_each(?) WHERE value IN (SELECT name FROM stored_media)'

const toText = (row: Row, column: string) => String(row[column])

type MediaName = Pick<MediaRow, 'instance' | 'messageid'>

/** `digest`: empty if the message does not identify its file. */
export const addMediaRow = ({
  instance,
  messageid,
  digest,
  stranger,
}: MediaName & Pick<MediaRow, 'digest' | 'stranger'>): Statement => {
  const name = `${instance}/${crypto.randomUUID()}`
  return statement(ADD, instance, messageid, name, digest, Number(stranger), Date.now())
}

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

/** An instance of which a file may be stored now: of those that are here already, if none may be fetched. */
export interface FreeInstance {
  instance: string
  mayFetch: boolean
  mayFetchOfStrangers: boolean
}

/** The first due row of each of these instances that has one, and whose file is not in `active`: of known senders before others. */
export async function listDueMedia(
  store: Store,
  now: number,
  { free, active }: { free: FreeInstance[]; active: string[] },
): Promise<MediaName[]> {
  const rows = await store.rows(DUE, JSON.stringify(free), now, JSON.stringify(active))
  return rows
    .filter(({ messageid }) => messageid !== null)
    .map((row) => ({ instance: toText(row, 'instance'), messageid: toText(row, 'messageid') }))
}

/** When the next row is due, in milliseconds since the epoch; undefined if none waits. */
export async function findSoonestMedia(store: Store): Promise<number | undefined> {
  const [row] = await store.rows(SOONEST)
  return row?.at == null ? undefined : Number(row.at)
}

/** The messages that wait for the file of this name. */
export async function listWaitingMessages(store: Store, name: string, max: number): Promise<string[]> {
  const rows = await store.rows(WAITING, name, max)
  return rows.map((row) => toText(row, 'messageid'))
}

/** The file of this name, if a message has it stored. */
export async function findStoredTwin(store: Store, name: string) {
  const [row] = await store.rows(STORED_TWIN, name)
  return row && { key: new Uint8Array(row.key as ArrayBuffer), bytes: Number(row.bytes) }
}

export const markMediaStored = (
  { instance, name }: Pick<MediaRow, 'instance' | 'name'>,
  messageids: string[],
  { key, bytes }: { key: Uint8Array<ArrayBuffer>; bytes: number },
): Statement[] => [
  statement(STORED, instance, JSON.stringify(messageids)),
  statement(SHARE_KEY, key, bytes, name),
]

/** `key` and `bytes`: of the file in the local folder, if it is there. */
export const markMediaFailed = (
  { name, key, bytes }: Pick<MediaRow, 'name' | 'key' | 'bytes'>,
  nextAt: number,
): Statement => statement(FAILED, key, key ? bytes : 0, nextAt, name)

export const forgetMediaKey = ({ name }: Pick<MediaRow, 'name'>): Statement => statement(FORGET_KEY, name)

/** The file is deleted with the next sweep, unless another message has it. */
export const endMedia = (instance: string, messageid: string): Statement =>
  statement(END_ONE, instance, messageid)

/** Of all messages of these chats. */
export const endMediaOfChats = (instance: string, chatids: string[]): Statement =>
  statement(END_CHATS, instance, JSON.stringify(chatids))

/** For all messages that have it. */
export const endMediaFile = (name: string): Statement => statement(END_FILE, name)

/** Of a host that fetches no files any more. */
export const endWaitingMedia = (holder: string): Statement => statement(END_WAITING, holder)

export const endMediaOfInstance = (instance: string): Statement => statement(END, instance)

/** Without those whose file is in `active`. */
export async function listEndedMedia(store: Store, active: string[], max: number) {
  const rows = await store.rows(ENDED, JSON.stringify(active), max)
  return rows.map((row) => ({
    instance: toText(row, 'instance'),
    messageid: toText(row, 'messageid'),
    name: toText(row, 'name'),
  }))
}

/** Whether another message has the file of this row, or its row has not been deleted yet. */
export async function hasOtherRows(
  store: Store,
  { instance, messageid, name }: MediaName & { name: string },
): Promise<boolean> {
  return (await store.rows(HAS_OTHERS, name, instance, messageid)).length > 0
}

/** Deletes an ended row; its message has no link any more. */
export const deleteMediaRow = ({ instance, messageid }: MediaName): Statement[] => [
  statement(CLEAR_LINK, instance, messageid),
  statement(DELETE, instance, messageid),
]

const toBytesByInstance = (rows: Row[]): Map<string, number> =>
  new Map(rows.map((row) => [toText(row, 'instance'), Number(row.bytes)]))

/** Of files that wait in the local folder, by instance. */
export const readLocalBytes = async (store: Store): Promise<Map<string, number>> =>
  toBytesByInstance(await store.rows(LOCAL))

/** Of all files, by instance. Reads every row. */
export const readMediaUsage = async (store: Store): Promise<Map<string, number>> =>
  toBytesByInstance(await store.rows(USAGE))

/** Reads every row. `oldest`: arrival of the message that waits longest. */
export async function readMediaTotals(store: Store) {
  const [[row], usage] = await Promise.all([store.rows(WAITING_TOTALS), readMediaUsage(store)])
  return {
    bytes: sumBytes(usage),
    waiting: Number(row?.waiting),
    oldest: row?.oldest == null ? undefined : Number(row.oldest),
  }
}

export const sumBytes = (byInstance: ReadonlyMap<string, number>): number =>
  [...byInstance.values()].reduce((sum, bytes) => sum + bytes, 0)

export async function listOldestFiles(store: Store, instance: string, max: number) {
  const rows = await store.rows(OLDEST_STORED, instance, max)
  return rows.map((row) => ({ name: toText(row, 'name'), bytes: Number(row.bytes) }))
}

/** Those of the names that have a row. */
export async function filterKnownMedia(store: Store, names: string[]): Promise<Set<string>> {
  const rows = await store.rows(KNOWN, JSON.stringify(names))
  return new Set(rows.map((row) => toText(row, 'value')))
}
